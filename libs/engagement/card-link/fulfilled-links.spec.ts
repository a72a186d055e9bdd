import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openLinks, type Links } from '../../../test/support/links.js';
import { FulfilledLinks } from './fulfilled-links.js';
import { engineOf } from '../../../test/support/engine-of.js';

describe('C3: the deals that a user has fulfilled', () => {
  let links: Links;
  beforeEach(async () => {
    links = await openLinks(['spa']);
  });
  afterEach(() => links.close());

  it('are read once the view has what the caller has written', async () => {
    const { loop, log, codec, clock, randomness, keyring } = links.engine;
    let reached = 0n;
    const row = await links.link('spa');
    const views = { reader: () => ({ find: () => Promise.resolve(reached < 7n ? [] : [{ key: 'x', row }]) }) };
    const freshness = { until: async (_: unknown, position: bigint) => void (reached = position) };
    const parts = engineOf({ loop, log, codec, clock, randomness, keyring, views, freshness });
    expect(await new FulfilledLinks(parts.writer, parts.reader, keyring).of('acme', links.ann, 7n)).toEqual(['spa']);
  });
});
