import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandContext } from '#eventsourcing';
import { OneDeal, orderOf } from '../../../test/support/resales.js';
import { openShop, type Shop } from '../../../test/support/shop.js';
import { coupon } from '../coupon/coupon.decider.js';
import { inventory } from '../inventory/inventory.decider.js';
import { GiveBackCoupon, GiveBackCouponHandler } from './give-back.commands.js';
import { Resell, ResellHandler } from './resell.commands.js';

describe('D12, A11: a reseller cancels a coupon although a process died between the decision and its followers', () => {
  let shop: Shop;
  let couponId: string;
  beforeEach(async () => {
    shop = await openShop(5);
    const sold = new Resell('acme', orderOf(shop.deal, { quantity: 1 }), shop.context());
    const { row } = await new ResellHandler(
      shop.engine.writer,
      shop.engine.keyring,
      shop.engine.clock,
      shop.engine.personalData,
      new OneDeal(),
    ).execute(sold);
    couponId = row.coupons[0]?.coupon_id ?? '';
  });
  afterEach(() => shop.close());

  const giveBack = (context = shop.context()): ReturnType<GiveBackCouponHandler['execute']> =>
    new GiveBackCouponHandler(shop.engine.writer, shop.engine.reader, new OneDeal()).execute(
      new GiveBackCoupon('acme', couponId, context),
    );
  const decide = async (context: CommandContext): Promise<void> => {
    const dying = shop.otherLoop([]);
    await dying.execute(coupon, couponId, { type: 'give-back', refundable: true, units_left: 1 }, context);
    await dying.close();
  };
  const sold = async (): Promise<number> => (await shop.engine.loop.readNow(inventory, shop.deal)).sold;

  it('its repeat returns the unit, and says how far the log is', async () => {
    const context = shop.context();
    await decide(context);
    expect(await sold()).toBe(1);
    const { position } = await giveBack({ ...context, resumed: true });
    expect(await sold()).toBe(0);
    expect(position).toBe(await shop.engine.log.head());
  });

  it('another call counts the unit as returned', async () => {
    await decide(shop.context());
    await expect(giveBack()).rejects.toMatchObject({
      reasons: [
        'in a non refundable state',
        'coupons cannot already be part of another refund',
        'you can not refund more coupons than were bought',
      ],
    });
    expect(await sold()).toBe(0);
  });
});
