import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Engine } from '#eventsourcing';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import { partners } from '../model.js';
import { ReplacePassword, ReplacePasswordHandler } from './partner.commands.js';
import { partner } from './partner.decider.js';

describe('A11, G2: the repeat of a new password that broke off', () => {
  let opened: PeopleEngine;
  let engine: Engine;
  const context = (): ReturnType<PeopleEngine['context']> => opened.context();
  const replace = (of: ReturnType<PeopleEngine['context']>): Promise<unknown> =>
    new ReplacePasswordHandler(engine).execute(new ReplacePassword('p1', of));
  const hash = async (): Promise<string | null> => (await engine.loop.readNow(partner, 'p1')).password;

  beforeEach(async () => {
    opened = await openPeopleEngine([partners]);
    const { loop, log, keyring } = opened.engine;
    engine = { loop, log, keyring, freshness: { until: () => Promise.resolve() } } as unknown as Engine;
    const enrol = { type: 'enrol', partner_id: 'p1', name: 'Acme', slug: 'acme' } as const;
    await engine.loop.execute(partner, 'p1', enrol, context());
  });
  afterEach(() => opened.close());

  it('leaves the password that another operator has set since', async () => {
    const first = context();
    await replace(first);
    await replace(context());
    const theirs = await hash();
    await expect(replace({ ...first, resumed: true })).rejects.toMatchObject({ code: 'secrets_lost' });
    expect(await hash()).toBe(theirs);
  });

  it('sets one if the first try set none', async () => {
    await replace({ ...context(), resumed: true });
    expect(await hash()).not.toBeNull();
  });
});
