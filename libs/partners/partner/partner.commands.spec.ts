import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ViewChanges } from '#eventsourcing';
import type { Engine } from '#platform';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import { partners } from '../model.js';
import { ChangePartner, ChangePartnerHandler, ReplacePassword, ReplacePasswordHandler } from './partner.commands.js';
import { partner } from './partner.decider.js';
import { PartnerKeys } from './partner-keys.js';
import { engineOf } from '../../../test/support/engine-of.js';

describe('A11, G2: the repeat of a change of a partner that broke off', () => {
  let opened: PeopleEngine;
  let engine: Engine;
  const context = (): ReturnType<PeopleEngine['context']> => opened.context();
  const replace = (of: ReturnType<PeopleEngine['context']>): Promise<unknown> =>
    new ReplacePasswordHandler(engine.writer, engine.reader, engine.keyring).execute(new ReplacePassword('p1', of));
  const hash = async (): Promise<string | null> => (await engine.loop.readNow(partner, 'p1')).password;

  beforeEach(async () => {
    opened = await openPeopleEngine([partners]);
    engine = engineOf({ ...opened.engine, freshness: { until: () => Promise.resolve() } });
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

  it('H4: leaves the storefront that another operator has set since, and answers with it', async () => {
    const set = (url: string | null, of = context()): Promise<unknown> =>
      new ChangePartnerHandler(engine.writer, engine.reader).execute(
        new ChangePartner('p1', { storefront_url: url }, of),
      );
    const first = context();
    await set('https://first.example/{deal_id}', first);
    await set('https://second.example/{deal_id}');
    const again = await set('https://first.example/{deal_id}', { ...first, resumed: true });
    const theirs = { storefront_url: 'https://second.example/{deal_id}' };
    expect(again).toMatchObject({ row: theirs });
    expect(await engine.loop.readNow(partner, 'p1')).toMatchObject(theirs);
  });

  it('I10: leaves a suspension that another operator has ended since', async () => {
    const set = (suspended: boolean, of = context()): Promise<unknown> =>
      new ChangePartnerHandler(engine.writer, engine.reader).execute(new ChangePartner('p1', { suspended }, of));
    const first = context();
    await set(true, first);
    await set(false);
    expect(await set(true, { ...first, resumed: true })).toMatchObject({ row: { suspended: false } });
    expect(await engine.loop.readNow(partner, 'p1')).toMatchObject({ suspended: false });
  });

  it('sets one if the first try set none', async () => {
    await replace({ ...context(), resumed: true });
    expect(await hash()).not.toBeNull();
  });
});

describe('I10: a credential at another process than the one that ends it', () => {
  it('counts no more as soon as that process has followed the log, whatever its view still has', async () => {
    const opened = await openPeopleEngine([partners]);
    const { engine, context } = opened;
    const other = opened.otherLoop([]);
    const row = { partner_id: 'p1', key_id: 'k1' };
    const views = { reader: () => ({ get: () => Promise.resolve({ key: 'h', row, position: 1n }) }) };
    const { writer, reader, keyring, randomness } = engineOf({ ...engine, views, loop: other });
    const keys = new PartnerKeys(writer, reader, keyring, new ViewChanges(), randomness);
    const enrol = { type: 'enrol', partner_id: 'p1', name: 'Acme', slug: 'acme' } as const;
    await engine.loop.execute(partner, 'p1', enrol, context());
    const key = { partner_id: 'p1', key_id: 'k1', hash: 'h', name: null, restriction: null };
    await engine.loop.execute(partner, 'p1', { type: 'issue-key', ...key }, context());
    expect(await keys.find('key')).toMatchObject({ credential: 'k1' });
    await engine.loop.execute(partner, 'p1', { type: 'change', partner_id: 'p1', suspended: true }, context());
    other.outdate({ stream: 'partner-p1', revision: 2 });
    expect(await keys.find('key')).toMatchObject({ suspended: true });
    await engine.loop.execute(partner, 'p1', { type: 'revoke-key', partner_id: 'p1', key_id: 'k1' }, context());
    other.outdate({ stream: 'partner-p1', revision: 3 });
    expect(await keys.find('key')).toBeUndefined();
    await other.close();
    await opened.close();
  });
});
