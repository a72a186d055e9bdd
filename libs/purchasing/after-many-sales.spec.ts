import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openShop, type Shop } from '../../test/support/shop.js';
import { couponsFor } from './coupon/coupon-ids.js';
import { inventory, type InventoryCommand } from './inventory/inventory.decider.js';
import type { ReservationPlaced } from './reservation/reservation.events.js';

/** More closings than the inventory knows by their ids. */
const CLOSINGS = 4_200;

describe('a process decided and died before its followers wrote; the deal went on, and no worker runs', () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await openShop(10);
  });
  afterEach(() => shop.close());

  /** A decision without its followers. */
  async function decide(command: InventoryCommand, context = shop.context()): Promise<void> {
    const dead = shop.otherLoop([]);
    const { events } = await dead.execute(inventory, shop.deal, command, context);
    await dead.close();
    expect(events).not.toEqual([]);
  }

  /** Other holds of the deal, each released. */
  async function goOn(): Promise<void> {
    const { loop } = shop.engine;
    for (let from = 0; from < CLOSINGS; from += 6) {
      await Promise.all(
        Array.from({ length: 6 }, async (_, nth) => {
          const reservation_id = `other-${from + nth}`;
          const hold = {
            type: 'place-hold',
            reservation_id,
            partner_id: 'acme',
            quantity: 1,
            holder_id: null,
          } as const;
          const { state } = await loop.execute(inventory, shop.deal, { ...hold, looked: Infinity }, shop.context());
          const number = state.holds.get(reservation_id)?.number ?? NaN;
          await loop.execute(inventory, shop.deal, { type: 'release', reservation_id, number }, shop.context());
        }),
      );
    }
  }

  it('D2 A11: a repeat of a reserve finds the hold of its first try, which has expired, and writes the reservation', async () => {
    const context = shop.context();
    const id = shop.engine.keyring.deriveId(context.commandId, 0);
    const hold = { type: 'place-hold', reservation_id: id, partner_id: 'acme', quantity: 2, holder_id: null } as const;
    await decide({ ...hold, looked: 0 }, context);
    shop.engine.clock.follow(300_000);
    await decide({ type: 'expire-hold', reservation_id: id });
    await goOn();
    expect(await shop.reserve(2, { context: { ...context, resumed: true } })).toMatchObject({ id, quantity: 2 });
    const types = (await shop.stored('reservation', id)).map(({ type }) => type);
    expect(types).toEqual(['reservation-placed.v1', 'reservation-expired.v1']);
    expect((await shop.engine.loop.read(inventory, shop.deal)).held).toBe(0);
  });

  it('D3: a repeat of a claim writes the purchase, and sells nothing again; for another user it is refused', async () => {
    const placed = await shop.reserve(2);
    const { number, deal, price, quantity, created_at } = (await shop.stored('reservation', placed.id))[0]
      ?.data as ReservationPlaced;
    const coupons = couponsFor(shop.engine.keyring, placed.id, 2);
    const claim = { type: 'claim', purchase_id: placed.id, partner_id: 'acme', holder_id: null, coupons } as const;
    const sale = { number, deal, price, quantity, reserved_at: created_at, user_id: shop.ann };
    await decide({ ...claim, ...sale });
    await goOn();
    const bob = await shop.newUser('bob');
    await expect(shop.claim(placed.id, bob)).rejects.toMatchObject({
      message: 'the reservation was claimed for another user',
    });
    expect((await shop.claim(placed.id)).coupons).toHaveLength(2);
    expect((await shop.engine.loop.read(inventory, shop.deal)).sold).toBe(2);
  });
});
