import { and, eq, gt, gte, having, lte, or, type Where } from '#eventsourcing';
import type { Instant } from '#kernel';
import { HOLD_FOR } from '../inventory/inventory.decider.js';
import type { PurchaseRow } from './purchase.row.js';
import type { PurchaseField } from './purchase.view.js';

/** Whose purchases a list has: one user's, or all that a partner has sold or holds. */
export type PurchasesOf = { readonly user_id: string } | { readonly partner_id: string };

/** What narrows a list of purchases; an absent part narrows nothing. */
export interface PurchaseFilters {
  /** Made at this time or later. */
  readonly from?: Instant | undefined;
  /** Made at this time or earlier. */
  readonly to?: Instant | undefined;
  readonly payment_state?: PurchaseRow['payment_state'] | undefined;
  readonly fulfillment_state?: PurchaseRow['fulfillment_state'] | undefined;
  readonly deal_id?: string | undefined;
  /** Of a reseller's transaction. */
  readonly reference?: string | undefined;
}

/** Finds the purchases and reservations that answers show like this at `now`. */
export function wherePurchases(of: PurchasesOf, filters: PurchaseFilters, now: Instant): Where<PurchaseField> {
  const { from, to, payment_state, fulfillment_state, deal_id, reference } = filters;
  const named = [
    ['reference', reference],
    ['deal_id', deal_id],
  ] as const;
  // A user has few purchases; a partner has many.
  const owned =
    'user_id' in of ? [['user_id', of.user_id] as const, ...named] : [...named, ['partner_id', of.partner_id] as const];
  const isIn = (state: ShownState): boolean =>
    (payment_state ?? state.payment_state) === state.payment_state &&
    (fulfillment_state ?? state.fulfillment_state) === state.fulfillment_state;
  const states =
    payment_state === undefined && fulfillment_state === undefined ? undefined : shownStates(now).filter(isIn);
  return and(
    having<PurchaseField>(...owned),
    ...(from === undefined ? [] : [gte<PurchaseField>('created_at', from)]),
    ...(to === undefined ? [] : [lte<PurchaseField>('created_at', to)]),
    ...(states === undefined ? [] : [or(...states.map(({ where }) => where))]),
  );
}

/** The two states that an answer shows, and which rows show them. */
interface ShownState extends Pick<PurchaseRow, 'payment_state' | 'fulfillment_state'> {
  readonly where: Where<PurchaseField>;
}

/** A hold that has run out shows as released, by the clock alone. */
function shownStates(now: Instant): readonly ShownState[] {
  const isIn = (state: string): Where<PurchaseField> => eq('state', state);
  const held = isIn('reserved');
  const ranOut = now - HOLD_FOR;
  return [
    { payment_state: 'pending', fulfillment_state: 'reserved', where: and(held, gt('created_at', ranOut)) },
    { payment_state: 'pending', fulfillment_state: 'released', where: and(held, lte('created_at', ranOut)) },
    { payment_state: 'pending', fulfillment_state: 'released', where: isIn('released') },
    { payment_state: 'pending', fulfillment_state: 'pending', where: isIn('pending') },
    { payment_state: 'charged', fulfillment_state: 'fulfilled', where: isIn('fulfilled') },
    { payment_state: 'declined', fulfillment_state: 'cancelled', where: isIn('declined') },
    { payment_state: 'refunded', fulfillment_state: 'cancelled', where: isIn('refunded') },
  ];
}
