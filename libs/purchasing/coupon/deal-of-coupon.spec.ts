import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OneDeal } from '../../../test/support/resales.js';
import { openShop, type Shop } from '../../../test/support/shop.js';
import { dealOfCoupon } from './deal-of-coupon.js';
import type { CouponRow } from './coupon.row.js';

describe('I2: the deal of a coupon', () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await openShop();
  });
  afterEach(() => shop.close());

  const bought = async (): Promise<CouponRow> => {
    const [coupon] = (await shop.claim((await shop.reserve(1)).id)).coupons;
    if (coupon === undefined) throw new Error('a sale has a coupon');
    return coupon;
  };

  it('is the deal at the revision that the coupon names', async () => {
    const coupon = await bought();
    const asked: unknown[] = [];
    const deals = new OneDeal();
    const asSold = deals.asSold.bind(deals);
    deals.asSold = (...which) => {
      asked.push(which);
      return asSold();
    };
    expect(await dealOfCoupon(shop.engine.writer, deals, coupon)).toEqual(await asSold());
    expect(asked).toEqual([[shop.deal, coupon.deal_revision]]);
  });

  it('is the title of the purchase, if the log has lost the event of the deal', async () => {
    const coupon = await bought();
    const shown = await dealOfCoupon(shop.engine.writer, shop.deals, coupon);
    expect(shown).toMatchObject({ title: 'A day at the spa', fine_print: null, locations: [], image: null });
    const lost = { ...coupon, purchase_id: 'lost too' };
    expect(await dealOfCoupon(shop.engine.writer, shop.deals, lost)).toMatchObject({ title: 'Coupon' });
  });
});
