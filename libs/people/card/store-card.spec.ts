import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { IN_A_LIFE } from '#kernel/bounds';
import { newProfile } from '../user/profile.js';
import { user } from '../user/user.decider.js';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import type { CardDetails } from './card.schema.js';
import { cardIdOf } from './card-number.js';
import { openCard } from './card.vault.js';
import { StoreCard, StoreCardHandler } from './store-card.commands.js';
import { wallet } from './wallet.decider.js';
import { engineOf } from '../../../test/support/engine-of.js';

/** Ann's engine: she is a user of `acme`. */
async function openAnn(): Promise<PeopleEngine> {
  const opened = await openPeopleEngine();
  const { loop, personalData, clock } = opened.engine;
  const profile = await personalData.seal('ann', newProfile({ email: 'ann@example.org' }, 0));
  const registered = { user_id: 'ann', partner_id: 'acme', profile, password: null, address: 'home', taking: 1 };
  await loop.execute(
    user,
    'ann',
    { type: 'register', user: { ...registered, created_at: clock.now() } },
    opened.context(),
  );
  return opened;
}

const card = (year: string): CardDetails => ({ number: '4111111111111111', month: '12', year, zip_code: '02139' });

describe('A11, D9: the repeat of a stored card that broke off', () => {
  let opened: PeopleEngine;
  const store = async (year: string, context = opened.context()): Promise<string> =>
    (
      await new StoreCardHandler(opened.engine.writer, opened.engine.keyring, opened.engine.vault).execute(
        new StoreCard('acme', 'ann', card(year), context),
      )
    ).row;

  beforeEach(async () => {
    opened = await openAnn();
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

describe('a card that a full wallet refuses', () => {
  let opened: PeopleEngine;
  beforeEach(async () => {
    opened = await openAnn();
    for (let number = 0; number < IN_A_LIFE.cards; number += 1) {
      const about = { user_id: 'ann', partner_id: 'acme', last4: '0027', brand: 'visa', number_hash: 'h' } as const;
      const store = { type: 'store', card: { ...about, card_id: `c${number}` }, life: 0 } as const;
      await opened.engine.loop.execute(wallet, 'ann', store, opened.context());
    }
  });
  afterEach(() => opened.close());

  it.each([
    ['at once', false, []],
    ['after other calls have just filled it', true, ['put', 'destroy']],
  ])('leaves no number in the vault: %s', async (_, isLate, expected) => {
    const { loop, vault } = opened.engine;
    const done: string[] = [];
    const engine = engineOf({
      ...opened.engine,
      loop: {
        execute: loop.execute.bind(loop),
        // What the process knew of the wallet before.
        read: (...[decider, id]: Parameters<typeof loop.read>) =>
          isLate && decider.category === 'wallet' ? wallet.initialState : loop.read(decider, id),
      },
      vault: {
        fingerprint: vault.fingerprint.bind(vault),
        put: (...given: Parameters<typeof vault.put>) => (done.push('put'), vault.put(...given)),
        destroy: (...given: Parameters<typeof vault.destroy>) => (done.push('destroy'), vault.destroy(...given)),
      },
    });
    const command = new StoreCard('acme', 'ann', card('2099'), opened.context());
    await expect(
      new StoreCardHandler(engine.writer, engine.keyring, engine.vault).execute(command),
    ).rejects.toMatchObject({ code: 'cards_used_up' });
    expect(done).toEqual(expected);
    expect(
      await openCard(vault, cardIdOf(opened.engine.keyring, opened.engine.vault, 'ann', card('2099').number)),
    ).toBeUndefined();
  });
});
