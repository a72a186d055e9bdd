import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandLoop } from '#eventsourcing';
import { IN_A_LIFE } from '#kernel/bounds';
import { openShop, type Shop } from '../../../test/support/shop.js';
import { couponFollowers, inventoryFollowers, purchaseFollowers } from '../followers.js';
import { GatewayOutcomeUnknown } from '../ports/payment-gateway.js';
import { purchase } from '../purchase/purchase.decider.js';

describe('D14 G5: the coupon of a purchase', () => {
  it('is reissued a bounded number of times: the next one is refused, and a repeat of the last one is not', async () => {
    const shop = await openShop(1);
    try {
      const { id } = await shop.reserve(1);
      let [coupon] = (await shop.claim(id)).coupons;
      let before = coupon;
      let context = shop.context();
      for (let number = 0; number < IN_A_LIFE.reissuesOfUnit; number += 1) {
        [before, context] = [coupon, shop.context()];
        coupon = await shop.reissue(coupon?.coupon_id ?? '', { context });
      }
      await expect(shop.reissue(coupon?.coupon_id ?? '')).rejects.toMatchObject({ code: 'coupon_not_reissued' });
      expect(await shop.reissue(before?.coupon_id ?? '', { context })).toEqual(coupon);
      expect(await shop.refund(id)).toMatchObject({ payment_state: 'refunded' });
    } finally {
      await shop.close();
    }
  });
});

describe('D14 G5: the refund of a purchase', () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await openShop(100);
  });
  afterEach(() => shop.close());

  /** Runs `then` once, right before or after the first command of this type. */
  function right(when: 'before' | 'after', type: string, then: () => Promise<unknown>): void {
    const loop = shop.engine.loop;
    const execute = loop.execute.bind(loop) as (...args: Parameters<CommandLoop['execute']>) => Promise<never>;
    let done = false;
    loop.execute = async (...args) => {
      const now = !done && (args[2] as { readonly type: string }).type === type;
      if (now) done = true;
      if (now && when === 'before') await then();
      const outcome = await execute(...args);
      if (now && when === 'after') await then();
      return outcome;
    };
  }

  // The call once got 422, though the refund went through.
  it('succeeds, and its answer says so, even if operators reissue coupons while it runs', async () => {
    const { id } = await shop.reserve(20);
    const { coupons } = await shop.claim(id);
    right('after', 'ask-refund', async () => {
      for (const { coupon_id } of coupons.slice(5, 15)) await shop.reissue(coupon_id);
    });
    const refunded = await shop.refund(id);
    expect(refunded).toMatchObject({ payment_state: 'refunded', fulfillment_state: 'cancelled' });
    const states = refunded.coupons.map(({ state }) => state);
    expect(states.filter((state) => state === 'cancelled')).toHaveLength(20);
    expect(states.filter((state) => state === 'reissued')).toHaveLength(10);
    expect(await shop.refund(id)).toEqual(refunded);
  });

  it('cancels the last coupon of one that was reissued twice', async () => {
    const { id } = await shop.reserve(1);
    const [first] = (await shop.claim(id)).coupons;
    const second = await shop.reissue(first?.coupon_id ?? '');
    await shop.reissue(second.coupon_id);
    expect((await shop.refund(id)).coupons.map(({ state }) => state)).toEqual(['reissued', 'reissued', 'cancelled']);
  });

  // The call once answered 200, and refunded nothing: it had seen no sale, and so no coupons.
  it.each([
    ['with its coupons', [inventoryFollowers, purchaseFollowers, couponFollowers]],
    ['and gets no further', []],
  ])('gives the money back if another process writes the outcome of the charge meanwhile, %s', async (_, followers) => {
    shop.gateway.onCharge = async () => {
      throw new GatewayOutcomeUnknown('no answer');
    };
    const { id } = await shop.buy(2);
    right('before', 'ask-refund', async () => {
      const by = { last4: '4242', gateway: 'told', reference: 'c-1' };
      const other = shop.otherLoop(followers);
      await other.execute(purchase, id, { type: 'charged', by, lost_since: 0 }, shop.context());
      await other.close();
    });
    const refunded = await shop.refund(id);
    expect(refunded).toMatchObject({ payment_state: 'refunded', fulfillment_state: 'cancelled' });
    expect(refunded.coupons.map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
    expect(shop.gateway.calls.filter((call) => call.startsWith('refund'))).toHaveLength(2);
  });

  it('writes nothing while coupons of the sale are missing', async () => {
    const { id } = await shop.reserve(2);
    const [first] = (await shop.claim(id)).coupons;
    const { loop } = shop.engine;
    const read = loop.read.bind(loop);
    loop.read = ((decider, of) =>
      of === first?.coupon_id ? Promise.resolve(null) : read(decider, of)) as CommandLoop['read'];
    await expect(shop.refund(id)).rejects.toMatchObject({ name: 'Unavailable' });
    expect((await shop.stored('purchase', id)).map(({ type }) => type)).toEqual(['purchase-recorded.v1']);
  });
});
