import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandLoop } from '#eventsourcing';
import { claimOfHold } from '../../test/support/hold-number.js';
import { openShop, type Calls, type Shop } from '../../test/support/shop.js';
import { couponsFor } from './coupon/coupon-ids.js';
import { couponFollowers, inventoryFollowers, purchaseFollowers } from './followers.js';
import { inventory, type InventoryCommand } from './inventory/inventory.decider.js';

const ALL = [inventoryFollowers, purchaseFollowers, couponFollowers];
const HOLD = 300_000;

describe('rivals that want the same of a deal', () => {
  let shop: Shop;
  let other: CommandLoop;
  beforeEach(async () => {
    shop = await openShop(10);
    other = shop.otherLoop(ALL);
  });
  afterEach(async () => {
    await other.close();
    await shop.close();
  });

  const types = async (category: string, id: string): Promise<readonly string[]> =>
    (await shop.stored(category, id)).map(({ type }) => type);
  /** The events of the deal after its terms and its stock. */
  const ofDeal = async (): Promise<readonly string[]> => (await types('inventory', shop.deal)).slice(2);
  const units = async (): Promise<object> => {
    const { held, sold, returned, next_unit } = await shop.engine.loop.readNow(inventory, shop.deal);
    const back = Array.from({ length: next_unit }, (_, unit) => unit).filter((unit) => returned.has(unit));
    return { held, sold, back };
  };

  /** The appends that this leads to at the deal. */
  async function appendsOf(run: () => Promise<unknown>): Promise<number> {
    const before = shop.engine.loop.stats.appends;
    await run();
    return shop.engine.loop.stats.appends - before;
  }

  describe('in one batch', () => {
    it('D3: two claims of one hold sell it once, and have the same answer', async () => {
      const { id } = await shop.reserve(2);
      const appends = await appendsOf(async () => {
        const [first, second] = await Promise.all([shop.claim(id), shop.claim(id)]);
        expect(second).toEqual(first);
        expect(first.coupons).toHaveLength(2);
      });
      expect(appends).toBe(1);
      expect(await ofDeal()).toEqual(['hold-placed.v1', 'hold-claimed.v1']);
      expect(await units()).toEqual({ held: 0, sold: 2, back: [] });
    });

    it('D3: two claims of a hold that ran out take fresh units once', async () => {
      const { id } = await shop.reserve(2);
      shop.engine.clock.follow(HOLD);
      const [first, second] = await Promise.all([shop.claim(id), shop.claim(id)]);
      expect(second).toEqual(first);
      expect(await ofDeal()).toEqual(['hold-placed.v1', 'hold-expired.v1', 'units-sold.v1']);
      expect(await units()).toEqual({ held: 0, sold: 2, back: [] });
    });

    it('D3: of two users who claim one hold, the second is refused', async () => {
      const { id } = await shop.reserve(2);
      const bob = await shop.newUser('bob');
      const [first, second] = await Promise.allSettled([shop.claim(id), shop.claim(id, bob)]);
      expect(first).toMatchObject({ status: 'fulfilled', value: { user_id: shop.ann } });
      expect(second).toMatchObject({ reason: { message: 'the reservation was claimed for another user' } });
      expect(await units()).toEqual({ held: 0, sold: 2, back: [] });
    });

    it('D4: a release after a claim is refused, and a claim after a release takes fresh units', async () => {
      const { loop } = shop.engine;
      const [{ id: claimed }, { id: released }] = [await shop.reserve(2), await shop.reserve(1)];
      const claimOf = (id: string): Promise<InventoryCommand> =>
        claimOfHold(shop, id, couponsFor(shop.engine.keyring, id, 1));
      const [claim, late] = [await claimOf(claimed), await claimOf(released)];
      const releaseOf = (reservation_id: string, number: number) =>
        ({ type: 'release', reservation_id, number }) as const;
      const commands = [claim, releaseOf(claimed, 0), releaseOf(released, 1), late];
      const outcomes = await Promise.allSettled(
        commands.map((command) => loop.execute(inventory, shop.deal, command, shop.context())),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      expect((await ofDeal()).slice(2)).toEqual(['hold-claimed.v1', 'hold-released.v1', 'units-sold.v1']);
    });

    it('D12: a unit that returns twice returns once', async () => {
      const bought = await shop.claim((await shop.reserve(2)).id);
      const returning: InventoryCommand = {
        type: 'return-unit',
        coupon_id: bought.coupons[1]?.coupon_id ?? '',
        unit: 1,
        purchase_id: bought.id,
        user_id: shop.ann,
      };
      const { loop } = shop.engine;
      const appends = await appendsOf(() =>
        Promise.all([1, 2].map(() => loop.execute(inventory, shop.deal, returning, shop.context()))),
      );
      expect(appends).toBe(1);
      expect((await ofDeal()).slice(2)).toEqual(['unit-returned.v1']);
      expect(await units()).toEqual({ held: 0, sold: 1, back: [1] });
    });
  });

  describe('at two processes', () => {
    it('D3: two claims of one hold at a time sell it once, and have the same answer', async () => {
      for (let nth = 1; nth <= 5; nth += 1) {
        const { id } = await shop.reserve(1);
        await other.readNow(inventory, shop.deal);
        const [first, second] = await Promise.all([shop.claim(id), shop.through(other).claim(id)]);
        expect(second).toEqual(first);
        expect(await units()).toEqual({ held: 0, sold: nth, back: [] });
      }
    });

    it('D12: a coupon that is cancelled at both returns its unit once, and its money goes back once', async () => {
      const bought = await shop.buy(2);
      const [, coupon] = bought.coupons;
      const cancel = (calls: Calls): Promise<unknown> => calls.cancel(coupon?.coupon_id ?? '');
      await other.readNow(inventory, shop.deal);
      const [first, second] = await Promise.all([cancel(shop), cancel(shop.through(other))]);
      expect(second).toEqual(first);
      expect(await units()).toEqual({ held: 0, sold: 1, back: [1] });
      // Both may ask at the same moment, under one id: by its contract, a gateway carries out one refund under an id.
      const refunds = new Set(shop.gateway.calls.filter((call) => call.startsWith('refund')));
      expect([...refunds]).toEqual([`refund ${coupon?.coupon_id ?? ''} 1999`]);
    });
  });
});
