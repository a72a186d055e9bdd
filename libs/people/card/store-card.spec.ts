import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newProfile } from '../user/profile.js';
import { user } from '../user/user.decider.js';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import type { CardDetails } from './card.schema.js';
import { openCard } from './card.vault.js';
import { StoreCard, StoreCardHandler } from './store-card.commands.js';

const card = (year: string): CardDetails => ({ number: '4111111111111111', month: '12', year, zip_code: '02139' });

describe('A11, D9: the repeat of a stored card that broke off', () => {
  let opened: PeopleEngine;
  const store = async (year: string, context = opened.context()): Promise<string> =>
    (await new StoreCardHandler(opened.engine).execute(new StoreCard('acme', 'ann', card(year), context))).row;

  beforeEach(async () => {
    opened = await openPeopleEngine();
    const { loop, personalData, clock } = opened.engine;
    const profile = await personalData.seal('ann', newProfile({ email: 'ann@example.org' }, 0));
    const registered = { user_id: 'ann', partner_id: 'acme', profile, password: null, address: 'home', taking: 1 };
    await loop.execute(
      user,
      'ann',
      { type: 'register', user: { ...registered, created_at: clock.now() } },
      opened.context(),
    );
  });
  afterEach(() => opened.close());

  it('leaves the expiry that has been stored since', async () => {
    const first = opened.context();
    const id = await store('2099', first);
    expect(await store('2101')).toBe(id);
    expect(await store('2099', { ...first, resumed: true })).toBe(id);
    expect(await openCard(opened.engine.vault, id)).toEqual(card('2101'));
  });

  it('stores the card if the first try stored none', async () => {
    const id = await store('2099', { ...opened.context(), resumed: true });
    expect(await openCard(opened.engine.vault, id)).toEqual(card('2099'));
  });
});
