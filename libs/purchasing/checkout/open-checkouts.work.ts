import {
  causationOf,
  defineWorkList,
  SECOND,
  unchanged,
  value,
  type Instant,
  type Recorded,
  type WorkRow,
} from '#kernel';
import type { PurchaseEvent } from '../purchase/purchase.events.js';

/** A purchase with a charge that has no outcome yet. */
export interface OpenCheckout extends WorkRow {
  readonly deal_id: string;
  readonly credit_card_id: string;
  /** Cents. */
  readonly amount: number;
  readonly opened_at: Instant;
  /** Whether to ask the gateway to cancel: after an operator's void or a final refusal. */
  readonly voiding: boolean;
}

/** The call of the user or operator asks the gateway itself; the work list waits this long for it. */
const DRIVEN_FOR = 15 * SECOND;

/** Charges without a known outcome (ruling D7); the work asks the gateway for it. */
export const openCheckouts = defineWorkList<OpenCheckout, PurchaseEvent, 'credit_card_id'>({
  name: 'open-checkouts',
  version: 2,
  key: (event) => event.data.purchase_id,
  // Without an index: few charges are open.
  fields: { credit_card_id: value((row) => row.credit_card_id) },
  on: {
    'purchase-recorded.v1': unchanged,
    'purchase-opened.v1': (_, { data: { deal, credit_card_id, amount, created_at, takeover_at } }) => ({
      deal_id: deal.id,
      credit_card_id,
      amount,
      opened_at: created_at,
      due_at: takeover_at,
      voiding: false,
    }),
    'purchase-charge-lost.v1': unchanged,
    'purchase-void-asked.v1': voiding,
    'purchase-charge-refused.v1': voiding,
    'purchase-charged.v1': () => undefined,
    'purchase-declined.v1': () => undefined,
    'purchase-voided.v1': () => undefined,
    'purchase-refund-asked.v1': unchanged,
    'purchase-coupon-cancelled.v1': unchanged,
    'purchase-coupon-replaced.v1': unchanged,
    'purchase-money-returned.v1': unchanged,
    'purchase-money-refused.v1': unchanged,
    'purchase-resold.v1': unchanged,
    'purchase-resale-abandoned.v1': unchanged,
    'purchase-buyer-erased.v1': unchanged,
  },
  shown: {
    does: 'Asks the payment gateway for the outcome of a charge.',
    about: (purchase_id, { deal_id }) => ({ purchase_id, deal_id }),
    openedAt: ({ opened_at }) => opened_at,
    insteadOfAbandoning: (purchase_id, { voiding: isVoided }) =>
      isVoided
        ? 'wait for the gateway: the purchase is being voided'
        : `void the purchase: \`holdfast purchases void ${purchase_id} --reason …\``,
  },
});

function voiding(row: OpenCheckout | undefined, { metadata }: Pick<Recorded, 'metadata'>): OpenCheckout | undefined {
  return row && { ...row, due_at: metadata.time + DRIVEN_FOR, voiding: true };
}

/** Money to give back for a cancelled coupon. */
export interface OpenRefund extends WorkRow {
  readonly purchase_id: string;
  /** Cents, for people; the purchase's own stream decides how much goes back. */
  readonly amount: number;
  /** The event that made it due, `stream@revision`; `correlation` is that of its request. */
  readonly cause: string;
  readonly correlation: string;
}

/** Refunds that the gateway has not answered yet, by coupon. */
export const openRefunds = defineWorkList<OpenRefund, PurchaseEvent>({
  name: 'open-refunds',
  version: 2,
  key: (event) => ('coupon_id' in event.data ? event.data.coupon_id : []),
  on: {
    'purchase-recorded.v1': unchanged,
    'purchase-opened.v1': unchanged,
    'purchase-charge-lost.v1': unchanged,
    'purchase-charge-refused.v1': unchanged,
    'purchase-charged.v1': unchanged,
    'purchase-declined.v1': unchanged,
    'purchase-void-asked.v1': unchanged,
    'purchase-voided.v1': unchanged,
    'purchase-refund-asked.v1': unchanged,
    'purchase-coupon-cancelled.v1': (_, event) => {
      const { purchase_id, refund_by, refund } = event.data;
      const { time, correlation } = event.metadata;
      if (refund === 0 || refund_by === 'partner') return undefined;
      return { purchase_id, amount: refund, cause: causationOf(event), correlation, due_at: time + DRIVEN_FOR };
    },
    'purchase-coupon-replaced.v1': unchanged,
    'purchase-money-returned.v1': () => undefined,
    'purchase-money-refused.v1': () => undefined,
    'purchase-resold.v1': unchanged,
    'purchase-resale-abandoned.v1': unchanged,
    'purchase-buyer-erased.v1': unchanged,
  },
  shown: {
    does: 'Asks the payment gateway to give money back for a cancelled coupon.',
    about: (coupon_id, { purchase_id }) => ({ coupon_id, purchase_id }),
    openedAt: ({ due_at }) => due_at - DRIVEN_FOR,
    insteadOfAbandoning: () =>
      'mend what its error says, and try it again: the buyer is owed the money until the gateway has answered',
  },
});
