import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openShop, type Shop } from '../../../test/support/shop.js';

describe('redeeming a coupon', () => {
  let shop: Shop;
  let coupon: string;
  beforeEach(async () => {
    shop = await openShop();
    const { id } = await shop.reserve(1);
    coupon = (await shop.claim(id)).coupons[0]?.coupon_id ?? '';
  });
  afterEach(() => shop.close());

  const unknown = { code: 'coupon_not_found', message: 'Failed. not found.' };

  it('E1, 4.8: below a hidden user’s path finds nothing, like below an unknown user’s', async () => {
    await shop.hide(shop.ann);
    await expect(shop.redeem(coupon, shop.ann)).rejects.toMatchObject(unknown);
    await expect(shop.redeem(coupon, 'nobody')).rejects.toMatchObject(unknown);
    expect(await shop.stored('coupon', coupon)).toHaveLength(1);
    expect(await shop.redeem(coupon)).toMatchObject({ state: 'redeemed' });
  });

  it('A11: a repeat of a request that broke off after redeeming gets the answer, even if the user is hidden now', async () => {
    const context = shop.context();
    const first = await shop.redeem(coupon, shop.ann, { context });
    await shop.hide(shop.ann);
    expect(await shop.redeem(coupon, shop.ann, { context: { ...context, resumed: true } })).toEqual(first);
    expect(await shop.stored('coupon', coupon)).toHaveLength(2);
  });

  it('A11, D10: a repeat of a request that broke off before redeeming does not count another’s redemption as its own', async () => {
    await shop.redeem(coupon);
    const late = shop.redeem(coupon, undefined, { context: { ...shop.context(), resumed: true } });
    await expect(late).rejects.toMatchObject({ code: 'redeem_failed', message: 'the coupon is redeemed' });
  });
});
