import { eq, type Writer, type Reader } from '#eventsourcing';
import { DomainError } from '#kernel';
import { coupon } from './coupon.decider.js';
import type { CouponRow } from './coupon.row.js';
import { couponsView } from './coupon.view.js';

const BARCODE = /^\d{12}$/;

/**
 * The coupon that a caller names (ruling I8), as the log has it; null if there is none.
 * @param named its id in any case, or the twelve digits of its barcode
 * @param partnerId whose coupons count; undefined for everybody's
 * @throws DomainError barcode_shared if several of them have the barcode
 * @throws Unavailable if nobody can know now whether one has it
 */
export async function findCoupon(
  writer: Writer,
  reader: Reader,
  named: string,
  partnerId: string | undefined,
): Promise<CouponRow | null> {
  const id = await couponIdOf(reader, named, partnerId);
  // Another process may have issued it a moment ago.
  const row = (await writer.shown(coupon, id)) ?? (await writer.shownNow(coupon, id));
  return row === null || (partnerId !== undefined && row.partner_id !== partnerId) ? null : row;
}

/**
 * The id of the coupon that a caller names; what they sent, in small letters, if there is none. An id costs no look-up.
 * @throws see {@link findCoupon}
 */
export async function couponIdOf(reader: Reader, named: string, partnerId: string | undefined): Promise<string> {
  const digits = barcodeIn(named);
  if (digits === undefined) return named.toLowerCase();
  const [one, ...others] = await couponsWith(reader, digits, partnerId);
  if (one === undefined) return digits;
  if (others.length === 0) return one.coupon_id;
  throw new DomainError('barcode_shared', 'two coupons have this barcode: scan the QR code', {
    detail: 'the last part of the address in the QR code is the id of the coupon',
  });
}

/** Whether a caller names a coupon by its barcode, which others could guess; an id they cannot. */
export function isBarcode(named: string): boolean {
  return barcodeIn(named) !== undefined;
}

/** The digits of a barcode, which the printed page shows in groups; undefined if it is something else. */
export function barcodeIn(named: string): string | undefined {
  const digits = named.replaceAll(/[\s-]/g, '');
  return BARCODE.test(digits) ? digits : undefined;
}

/** Finds none only when the view has seen the end of the log: another process may have issued the coupon a moment ago. */
async function couponsWith(
  reader: Reader,
  barcode: string,
  partnerId: string | undefined,
): Promise<readonly CouponRow[]> {
  const look = async (): Promise<readonly CouponRow[]> => {
    const where = eq('barcode', barcode);
    const found = await reader.of(couponsView).find({ where, sort: [], page: 1, perPage: MOST_SHARED });
    const rows = found.map(({ row }) => row);
    return partnerId === undefined ? rows : rows.filter((row) => row.partner_id === partnerId);
  };
  const found = await look();
  if (found.length > 0) return found;
  await reader.until([couponsView], await reader.end());
  return look();
}

/** Of 10^12 barcodes: not even a billion coupons have so many in common. */
const MOST_SHARED = 100;
