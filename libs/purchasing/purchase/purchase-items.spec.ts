import { expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring, RowVersions, ViewChanges } from '#eventsourcing';
import { PublicUrl } from '#http';
import { DAY, MINUTE } from '#kernel';
import { hoursAround, timesOfStalePages } from '../../../test/support/by-the-clock.js';
import { engineOf } from '../../../test/support/engine-of.js';
import { terms } from '../../../test/support/sale.js';
import type { CouponRow } from '../coupon/coupon.row.js';
import { PurchaseItems } from './purchase-items.js';
import type { PurchaseRow } from './purchase.row.js';

const T = 1_324_062_675_000;
const { deal } = terms();
const coupon: CouponRow = {
  coupon_id: '0123456789abcdef0123456789abcdef',
  purchase_id: 'r1',
  partner_id: 'acme',
  user_id: 'ann',
  deal_id: deal.id,
  deal_type: deal.type,
  deal_revision: deal.revision,
  number: 0,
  barcode: '000000000001',
  unit: 7,
  redemption_code: null,
  created_at: T,
  expires_at: T + 20 * DAY,
  state: 'valid',
  redeemed_at: null,
  replaced_by: null,
};
const row: PurchaseRow = {
  id: 'r1',
  partner_id: 'acme',
  deal,
  price: 1_999,
  amount: 1_999,
  quantity: 1,
  last4: null,
  reference: null,
  payment_state: 'charged',
  fulfillment_state: 'fulfilled',
  created_at: T,
  deadline: null,
  user_id: 'ann',
  credit_card_id: null,
  coupons: [coupon, { ...coupon, coupon_id: 'other', number: 1, expires_at: T + 30 * DAY }],
};

it.each<readonly [string, Partial<PurchaseRow>]>([
  ['with coupons', {}],
  [
    'that is held',
    { payment_state: 'pending', fulfillment_state: 'reserved', deadline: T + 180 * MINUTE, coupons: [] },
  ],
  ['whose charge is open', { payment_state: 'pending', fulfillment_state: 'pending', coupons: [] }],
])('B6 D10: a remembered page of a purchase %s shows what one shows that is made at that time', async (_, changes) => {
  const stored = { key: row.id, position: 1n, row: { ...row, ...changes } };
  const { reader } = engineOf({ views: { reader: () => ({ get: async () => stored }) } });
  const keyring = Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness);
  const newMemory = () => {
    const items = new PurchaseItems(
      reader,
      keyring,
      thisMachine.time,
      new ViewChanges(),
      new PublicUrl('http://deals.test'),
    );
    return async (now: number) => String(await items.page(RowVersions.of([stored]), now));
  };
  expect(await timesOfStalePages(newMemory, hoursAround(T, T + 30 * DAY))).toEqual([]);
});
