import { type Keyring, Slices, type Time } from '#eventsourcing';
import { type AnswerOf, presentAll, type PublicUrl, unixDateTime } from '#http';
import type { Instant } from '#kernel';
import type { COUPON } from './coupon.answer.js';
import { qrPng } from './coupon.qr.js';
import { couponStateAt, type CouponRow } from './coupon.row.js';

/** What presenting needs besides the row. */
export interface Presenting {
  readonly keyring: Pick<Keyring, 'sign'>;
  readonly publicUrl: PublicUrl;
  /** The slices of this answer. */
  readonly slices: Slices;
}

/** Milliseconds of a slice: a partner may claim thousands of units at a time, and other calls come in between (ruling I16). */
const DRAWING = 1;

/** What presenting one answer needs. */
export function presentingOf(keyring: Keyring, time: Time, publicUrl: PublicUrl): Presenting {
  return { keyring, publicUrl, slices: new Slices(time, DRAWING) };
}

/** The purpose in the signature of a coupon's page. */
export const PAGE = 'coupon';

/** The purpose in the signature of its QR code. The picture's address does not open the page, which shows the redemption code. */
const PICTURE = 'coupon-picture';

/** Whether a signature opens the QR code. */
export function opensPicture(keyring: Keyring, id: string, signature: string): boolean {
  return keyring.verify(PICTURE, id, signature);
}

/** The coupon's answer (interface 2.6, ruling B7). */
export function presentCoupon(
  row: CouponRow,
  now: Instant,
  { keyring, publicUrl }: Omit<Presenting, 'slices'>,
): AnswerOf<typeof COUPON> {
  const id = row.coupon_id;
  const open = `${publicUrl.href}/coupons/${id}`;
  return {
    id,
    slug: id,
    deal_id: row.deal_id,
    deal_type: row.deal_type,
    barcode: row.barcode,
    expires_at: row.expires_at === null ? null : unixDateTime(row.expires_at),
    created_at: unixDateTime(row.created_at),
    qr_code_url: `${open}/${keyring.sign(PICTURE, id)}/qr.png`,
    qr_code: qrPng(redemptionUrl(id, publicUrl.href)).toString('base64'),
    state: couponStateAt(row, now),
    redemption_code: row.redemption_code,
    redeemed_at: row.redeemed_at === null ? null : unixDateTime(row.redeemed_at),
    print_url: `${open}/${keyring.sign(PAGE, id)}/print`,
  };
}

/** The answers of coupons, in slices: an answer may draw thousands of QR codes. */
export function presentCoupons(
  rows: readonly CouponRow[],
  now: Instant,
  presenting: Presenting,
): Promise<AnswerOf<typeof COUPON>[]> {
  return presentAll(rows, (row) => presentCoupon(row, now, presenting), presenting.slices);
}

/**
 * The address in the QR code. It is in capitals where case does not matter, because a code of capitals and digits is
 * smaller.
 */
export function redemptionUrl(couponId: string, publicUrl: string): string {
  const { origin, pathname } = new URL(publicUrl);
  return pathname === '/' ? `${origin}/C/${couponId}`.toUpperCase() : `${publicUrl}/C/${couponId.toUpperCase()}`;
}
