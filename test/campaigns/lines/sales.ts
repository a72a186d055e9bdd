import { randomBytes } from 'node:crypto';
import { thisMachine } from '#adapters/machine';
import { newCommandId } from '#eventsourcing';
import { DAY } from '#kernel';
import { summaryOf, terms } from '../../support/sale.js';
import type { Sent } from './api.child.js';

/** The kinds of sale: a reservation and its claim, a stored card, and everything in one call. */
export const KINDS = ['claim', 'stored card', 'full'] as const;
export type Kind = (typeof KINDS)[number];

/** A sale: the steps before the one that takes units, that one, and those after it. */
export interface Sale {
  readonly kind: Kind;
  /** The purchase. */
  readonly id: string;
  readonly before: readonly Sent[];
  readonly takes: Sent;
  readonly after: readonly Sent[];
}

const newId = (): string => randomBytes(16).toString('hex');
const sent = (decider: Sent['decider'], id: string, command: object): Sent => ({
  decider,
  id,
  command,
  commandId: newCommandId(Date.now(), thisMachine.randomness),
});
const inventory = (deal: string, command: object): Sent => sent('inventory', deal, command);

/** A deal on sale with this many units. */
export function newDeal(deal: string, units: number): readonly Sent[] {
  const now = Date.now();
  const on = { deal: summaryOf(deal), max_per_user: null };
  return [
    inventory(deal, { type: 'set-terms', terms: terms({ ...on, start_at: now - DAY, end_at: now + DAY }) }),
    inventory(deal, { type: 'set-stock', looked: Infinity, units, change_id: 'c' }),
  ];
}

/** Sells units of a deal to a buyer of their own. */
export function newSale(deal: string, kind: Kind, quantity: number): Sale {
  const [id, user_id, card_id] = [newId(), newId(), newId()];
  const buyer = { purchase_id: id, partner_id: 'acme', user_id, holder_id: null, quantity };
  const coupons = Array.from({ length: quantity }, () => ({ id: newId(), barcode: '123456789012' }));
  if (kind === 'claim') {
    const agreed = { deal: summaryOf(deal), reserved_at: Date.now() };
    return {
      kind,
      id,
      before: [],
      takes: inventory(deal, {
        type: 'place-hold',
        looked: Infinity,
        reservation_id: id,
        partner_id: 'acme',
        quantity,
        holder_id: null,
      }),
      after: [inventory(deal, { type: 'claim', number: 0, ...buyer, price: 1_999, ...agreed, coupons })],
    };
  }
  const card = { card_id, user_id, partner_id: 'acme', last4: '4242', brand: 'visa' };
  const profile = { user_id, partner_id: 'acme', profile: 'sealed', password: null, address: newId(), taking: 1 };
  const stored = [sent('wallet', user_id, { type: 'store', card, life: 0 })];
  const registered = sent('user', user_id, { type: 'register', user: { ...profile, created_at: Date.now() } });
  const rest = { credit_card_id: card_id, shipping_address_id: null, session_id: null, expected_price: null };
  return {
    kind,
    id,
    before: kind === 'full' ? [registered, ...stored] : stored,
    takes: inventory(deal, {
      type: 'start-checkout',
      looked: Infinity,
      ...buyer,
      ...rest,
      coupons,
      takeover_after: 15_000,
    }),
    after: [
      sent('purchase', id, {
        type: 'charged',
        by: { last4: '4242', gateway: 'sandbox', reference: null },
        lost_since: 0,
      }),
    ],
  };
}
