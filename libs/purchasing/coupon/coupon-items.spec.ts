import { expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring, RowVersions, ViewChanges } from '#eventsourcing';
import { PublicUrl } from '#http';
import { DAY } from '#kernel';
import { hoursAround, timesOfStalePages } from '../../../test/support/by-the-clock.js';
import { engineOf } from '../../../test/support/engine-of.js';
import { CouponItems } from './coupon-items.js';
import type { CouponRow } from './coupon.row.js';

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
  expires_at: T + 30 * DAY,
  state: 'valid',
  redeemed_at: null,
  replaced_by: null,
};

it.each<readonly [string, Partial<CouponRow>]>([
  ['that expires', {}],
  ['that never expires', { expires_at: null }],
  ['that was redeemed', { state: 'redeemed', redeemed_at: T + DAY }],
  ['that was issued again', { state: 'reissued', replaced_by: 'other' }],
])('D10: a remembered page of a coupon %s shows what one shows that is made at that time', async (_, changes) => {
  const stored = { key: row.coupon_id, position: 1n, row: { ...row, ...changes } };
  const { reader } = engineOf({ views: { reader: () => ({ get: async () => stored }) } });
  const keyring = Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness);
  const newMemory = () => {
    const items = new CouponItems(
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
