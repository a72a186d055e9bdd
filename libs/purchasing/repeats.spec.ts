import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openShop, type Shop } from '../../test/support/shop.js';

/** The types of a stream's events. */
const typesOf = async (shop: Shop, category: string, id: string): Promise<readonly string[]> =>
  (await shop.stored(category, id)).map(({ type }) => type);

describe('A11: a repeat of a request that broke off', () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await openShop();
  });
  afterEach(() => shop.close());

  it.each<[string, (shop: Shop, id: string) => Promise<unknown>]>([
    ['is open', async () => undefined],
    ['was released', (shop, id) => shop.release(id)],
    ['was claimed', (shop, id) => shop.claim(id)],
    [
      'ran out, and its unit went to somebody else',
      async (shop) => {
        shop.engine.clock.follow(300_000);
        await shop.reserve(10);
      },
    ],
  ])('D2: finds the reservation of the first try, even if its hold %s', async (_, close) => {
    const context = shop.context();
    const first = await shop.reserve(2, { context });
    await close(shop, first.id);
    const before = await typesOf(shop, 'inventory', shop.deal);
    expect(await shop.reserve(2, { context: { ...context } })).toEqual(first);
    expect(await typesOf(shop, 'inventory', shop.deal)).toEqual(before);
  });

  it.each([
    ['was declined', { kind: 'declined', reason: 'insufficient funds', reference: null } as const, 'rejected'],
    ['was charged', { kind: 'approved', reference: null } as const, 'fulfilled'],
  ])(
    'D7, E1: finds the purchase of the first try, which %s, even if its user is hidden now, and charges nothing again',
    async (_, outcome, status) => {
      const context = shop.context();
      shop.gateway.onCharge = async () => outcome;
      const [first] = await Promise.allSettled([shop.buy(2, { context })]);
      expect(first.status).toBe(status);
      await shop.hide(shop.ann);
      const before = await typesOf(shop, 'inventory', shop.deal);
      const again = await Promise.allSettled([shop.buy(2, { context: { ...context, resumed: true } })]);
      expect(again).toEqual([first]);
      expect(await typesOf(shop, 'inventory', shop.deal)).toEqual(before);
      expect(shop.gateway.calls).toHaveLength(1);
    },
  );

  it('E1, D3: a second claim has the same purchase, even if its user is hidden now; for another user it is refused', async () => {
    const { id } = await shop.reserve(2);
    const first = await shop.claim(id);
    await shop.hide(shop.ann);
    expect(await shop.claim(id)).toEqual(first);
    const bob = await shop.newUser('bob');
    await expect(shop.claim(id, bob)).rejects.toMatchObject({ code: 'cannot_fulfill' });
    const { id: other } = await shop.reserve(1);
    await expect(shop.claim(other)).rejects.toMatchObject({ code: 'user_not_found' });
  });
});
