import { DomainError } from '#kernel';
import type { CouponRow } from '../coupon/coupon.row.js';

/** Whether a reseller sold this coupon: then it has no user. The v3 calls are for these alone (interface 4.7). */
export function isResold(row: CouponRow | null | undefined, partnerId: string): row is CouponRow {
  return row?.partner_id === partnerId && row.user_id === null;
}

/** The refusal for every other coupon, an unknown one or that of a user (rulings A5, A8). */
export function unknownCoupon(): DomainError {
  return new DomainError('not_found', 'Failed. not found.', {
    detail: 'you have resold no coupon with this id or barcode',
  });
}
