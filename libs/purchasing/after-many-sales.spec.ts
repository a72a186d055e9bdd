import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Followers } from '#kernel';
import { openShop, type Shop } from '../../test/support/shop.js';
import { couponsFor } from './coupon/coupon-ids.js';
import { inventoryFollowers } from './followers.js';
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

  /** A decision without its followers, or with only these. */
  async function decide(
    command: InventoryCommand,
    context = shop.context(),
    followers: readonly Followers[] = [],
  ): Promise<void> {
    const dead = shop.otherLoop(followers);
    const { events } = await dead.execute(inventory, shop.deal, command, context);
    await dead.close();
    expect(events).not.toEqual([]);
  }

  /** Counts the events of the deal that are read from now on. */
  function countRead(): () => number {
    const { log } = shop.engine;
    const read = log.readStream.bind(log);
    let events = 0;
    log.readStream = async (stream, ...asked) => {
      const page = await read(stream, ...asked);
      if (stream === `inventory-${shop.deal}`) events += page.length;
      return page;
    };
    return () => events;
  }

  /** Other holds of the deal, each released. */
  async function goOn(closings = CLOSINGS): Promise<void> {
    const { loop } = shop.engine;
    for (let from = 0; from < closings; from += 6) {
      await Promise.all(
        Array.from({ length: 6 }, async () => {
          const reservation_id = shop.context().commandId;
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

  it('D2 A11: a repeat of a reserve reads only what was written since its first try began', async () => {
    await goOn();
    shop.engine.clock.follow(600_000);
    const context = shop.context();
    const id = shop.engine.keyring.deriveId(context.commandId, 0);
    const hold = { type: 'place-hold', reservation_id: id, partner_id: 'acme', quantity: 2, holder_id: null } as const;
    await decide({ ...hold, looked: Infinity }, context);
    await goOn(300);
    const read = countRead();
    expect(await shop.reserve(2, { context: { ...context, resumed: true } })).toMatchObject({ id, quantity: 2 });
    expect((await shop.stored('reservation', id)).map(({ type }) => type)).toEqual(['reservation-placed.v1']);
    // At least what came since; at most two pages more, one of which shows where to stop.
    expect(read()).toBeGreaterThan(600);
    expect(read()).toBeLessThan(1_700);
  });

  /** A hold, and the command of its claim. */
  async function reserved(): Promise<{ readonly id: string; readonly claim: InventoryCommand }> {
    const { id } = await shop.reserve(2);
    const { number, deal, price, quantity, created_at } = (await shop.stored('reservation', id))[0]
      ?.data as ReservationPlaced;
    const coupons = couponsFor(shop.engine.keyring, id, 2);
    const claim = { type: 'claim', purchase_id: id, partner_id: 'acme', holder_id: null, coupons } as const;
    const sale = { number, deal, price, quantity, reserved_at: created_at, user_id: shop.ann };
    return { id, claim: { ...claim, ...sale } };
  }

  it('D3: a repeat of a claim writes the purchase, and sells nothing again; for another user it is refused', async () => {
    const { id, claim } = await reserved();
    await decide(claim);
    await goOn();
    const bob = await shop.newUser('bob');
    await expect(shop.claim(id, bob)).rejects.toMatchObject({
      message: 'the reservation was claimed for another user',
    });
    expect((await shop.claim(id)).coupons).toHaveLength(2);
    expect((await shop.engine.loop.read(inventory, shop.deal)).sold).toBe(2);
  });

  it.each(['reservation', 'purchase'])('D3: a repeat of a claim is led to the sale by its %s', async (category) => {
    const { id, claim } = await reserved();
    const followers = {
      category: inventory.category,
      on: Object.fromEntries(
        Object.entries(inventoryFollowers.on).map(([type, follow]) => [
          type,
          (event: never) => follow(event).filter(({ decider }) => decider.category === category),
        ]),
      ),
    };
    await decide(claim, shop.context(), [followers]);
    await goOn(600);
    // It knows the deal: what it reads from now on is read for the repeat.
    await shop.engine.loop.readNow(inventory, shop.deal);
    const read = countRead();
    expect((await shop.claim(id)).coupons).toHaveLength(2);
    expect(read()).toBeLessThan(10);
  });
});
