import type { Keyring } from '#eventsourcing';
import type { NewCoupon } from '../inventory/inventory.events.js';

/**
 * The coupons of a purchase, still without units and codes. Ids and barcodes are derived from the purchase's id, so that a repeat
 * makes the same ones. The ids begin with the purchase's time, and nobody can guess them (ruling B2).
 */
export function couponsFor(keyring: Keyring, purchaseId: string, quantity: number): NewCoupon[] {
  return Array.from({ length: quantity }, (_, number) => {
    const id = purchaseId.slice(0, 12) + keyring.hash('coupon', `${purchaseId}:${number}`).slice(0, 20);
    return { id, barcode: barcodeOf(keyring, id) };
  });
}

/** The twelve digits of a coupon's barcode, derived from its id (ruling B7). */
export function barcodeOf(keyring: Keyring, couponId: string): string {
  return keyring.digits('barcode', couponId, 12);
}
