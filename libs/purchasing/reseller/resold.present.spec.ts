import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring } from '#eventsourcing';
import { presentCoupon } from '../coupon/coupon.present.js';
import type { CouponRow } from '../coupon/coupon.row.js';
import { RESOLD_COUPON } from './resold.answer.js';
import { presentResoldCoupon } from './resold.present.js';

const T = 1_324_062_675_000;
const row: CouponRow = {
  coupon_id: '0123456789abcdef0123456789abcdef',
  purchase_id: 'r1',
  partner_id: 'acme',
  user_id: 'ann',
  deal_id: 'spa-day',
  deal_type: 'daily-deal',
  deal_revision: 3,
  number: 0,
  barcode: '000000000001',
  unit: 7,
  redemption_code: 'SPA-1',
  created_at: T,
  expires_at: T + 1_000,
  state: 'valid',
  redeemed_at: null,
  replaced_by: null,
};
/** The fields that v3 promises. They grow only by a decision about v3. */
const FIELDS =
  'id slug deal_id deal_type barcode expires_at created_at qr_code_url qr_code state redemption_code redeemed_at';

describe('a coupon for resellers', () => {
  const presenting = {
    keyring: Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness),
    publicUrl: { href: 'http://deals.test' },
  };

  it('B7 2.6: has the fields of v3, whatever v1 shows of it', () => {
    expect(Object.keys(RESOLD_COUPON.shape).join(' ')).toBe(FIELDS);
    expect(Object.keys(presentResoldCoupon(row, T, presenting)).join(' ')).toBe(FIELDS);
  });

  it('B7: has the values of v1', () => {
    expect(presentCoupon(row, T, presenting)).toMatchObject(presentResoldCoupon(row, T, presenting));
  });
});
