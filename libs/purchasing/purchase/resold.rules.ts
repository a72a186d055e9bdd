import { DomainError, type Instant } from '#kernel';
import { vouchersExpireAt } from '../inventory/sale-terms.js';
import type { PurchaseEvent, PurchaseResold, ResaleAbandoned } from './purchase.events.js';
import type { PurchaseState } from './purchase.state.js';

/** A reseller's transaction whose units are held. The purchase adds its time and the coupons' expiry. */
export type ResaleMade = Omit<PurchaseResold, 'created_at' | 'coupons_expire_at'> & {
  /** From the terms of the sale. */
  readonly expires_at: Instant | null;
  readonly expiration_days: number | null;
};

/**
 * Records a transaction under its reference (ruling D11). The same content again changes nothing; nor does an abandoned
 * resale, whose units are free again.
 * @throws DomainError reference_used for other content
 */
export function resell(state: PurchaseState, resale: ResaleMade, now: Instant): PurchaseEvent[] {
  if (state.status !== 'none') {
    if (state.status === 'sold' && state.resale?.content === resale.content) return [];
    throw referenceUsed();
  }
  if (resale.resale_id !== null && state.abandoned.includes(resale.resale_id)) return [];
  const { expires_at, expiration_days, ...made } = resale;
  const coupons_expire_at = vouchersExpireAt({ expires_at, expiration_days }, now);
  return [{ type: 'purchase-resold.v1', data: { ...made, created_at: now, coupons_expire_at } }];
}

/** The refusal of other content under a reference (ruling D11). */
export function referenceUsed(): DomainError {
  return new DomainError('reference_used', 'has already been used');
}

/** Gives up a resale, so that its units are free again. Changes nothing if it is the purchase. */
export function abandonResale(state: PurchaseState, resale: ResaleAbandoned): PurchaseEvent[] {
  if (!('abandoned' in state) || state.abandoned.includes(resale.resale_id)) return [];
  if (state.status === 'sold' && state.resale?.resale_id === resale.resale_id) return [];
  return [{ type: 'purchase-resale-abandoned.v1', data: resale }];
}
