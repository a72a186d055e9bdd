import { DomainError, utcTime, type Instant } from '#kernel';
import type { InventoryState } from '../inventory/inventory.state.js';
import type { ResaleTerms } from '../inventory/inventory.events.js';
import { NOT_SOLD } from '../inventory/units.js';
import type { Details } from '../ports/deal-details.js';
import { ResaleInvalid } from './resale.js';

/** An approved deal is in flight from its start on (ruling C1). */
const RUNNING: readonly string[] = ['approved', 'in-flight'];

/**
 * The terms of a card-linked deal that runs now. Nobody buys such a deal; resellers record its transactions (ruling C2).
 * @throws DomainError resale_refused
 */
export function cardLinkedTerms(
  { terms }: InventoryState,
  deal: Details | undefined,
  now: Instant,
): Omit<ResaleTerms, 'quantity' | 'coupons'> {
  if (terms === null || deal === undefined) throw new ResaleInvalid([{ code: 'unknown_deal' }]);
  if (now >= terms.end_at) throw refused(`it ended at ${utcTime(terms.end_at)}`);
  if (!RUNNING.includes(deal.state)) throw refused(`it is ${deal.state}`);
  if (now < terms.start_at) throw refused(`it starts at ${utcTime(terms.start_at)}`);
  const { deal: summary, price, expires_at, expiration_days } = terms;
  return { deal: summary, price, expires_at, expiration_days };
}

function refused(why: string): DomainError {
  return new DomainError('resale_refused', `${NOT_SOLD}: ${why}`);
}
