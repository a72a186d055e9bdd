import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandLoop } from '#eventsourcing';
import { openShop, type Shop } from '../../../test/support/shop.js';

describe('D14 G5: the refund of a purchase', () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await openShop(100);
  });
  afterEach(() => shop.close());

  /** Runs `then` once, right after the first command of this type. */
  function rightAfter(type: string, then: () => Promise<unknown>): void {
    const loop = shop.engine.loop;
    const execute = loop.execute.bind(loop) as (...args: Parameters<CommandLoop['execute']>) => Promise<never>;
    let done = false;
    loop.execute = async (...args) => {
      const outcome = await execute(...args);
      if (!done && (args[2] as { readonly type: string }).type === type) {
        done = true;
        await then();
      }
      return outcome;
    };
  }

  // The call once got 422, though the refund went through.
  it('succeeds, and its answer says so, even if operators reissue coupons while it runs', async () => {
    const { id } = await shop.reserve(20);
    const { coupons } = await shop.claim(id);
    rightAfter('ask-refund', async () => {
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
