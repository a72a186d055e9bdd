import { Map } from 'immutable';
import type { Instant } from '#kernel';
import type { PurchaseEvent, PurchaseMade, PurchaseOpened, PurchaseResold, RefundBy } from './purchase.events.js';

/** A purchase with sold units. */
export interface Sold {
  readonly status: 'sold';
  readonly made: Made;
  /** The transaction of a reseller; null for the purchase of a user. */
  readonly resale: Resale | null;
  /** Resales under the same reference that came to nothing. */
  readonly abandoned: readonly string[];
  /** Whether our gateway took the money and must give it back. */
  readonly charged: boolean;
  /** The charged card; null if the buyer paid the partner. */
  readonly credit_card_id: string | null;
  /** The cents that the buyer gets back for each cancelled coupon, whoever gives them back. */
  readonly cancelled: Map<string, number>;
  /** The new coupon of each reissued one. */
  readonly replacements: Readonly<Record<string, string>>;
  /** Whether an operator asked to refund the whole purchase. */
  readonly refund_asked: boolean;
  /** Cents that our gateway must give back for each cancelled coupon, until it has answered. */
  readonly money_due: Readonly<Record<string, number>>;
  /** Cents that go back for all coupons so far, whoever gives them back. */
  readonly refunded: number;
}

/** What every purchase has in common; `user_id` is null for the purchase of a reseller. */
type Made = Omit<PurchaseMade, 'user_id'> & { readonly user_id: string | null };

/** What a purchase remembers of a reseller's transaction: enough to recognise a repeat. */
export type Resale = Pick<PurchaseResold, 'resale_id' | 'content' | 'transaction_reference'>;

/** When and why the buyer was erased. */
export interface ErasedBuyer {
  readonly at: Instant;
  readonly reason: string;
}

/** `buyer_erased` is absent as long as the buyer is not erased. */
export type PurchaseState = Progress & { readonly buyer_erased?: ErasedBuyer };

type Progress =
  /** `abandoned`: resales that came to nothing so far. */
  | { readonly status: 'none'; readonly abandoned: readonly string[] }
  | BeingCharged
  | BeingVoided
  | { readonly status: 'declined' | 'voided'; readonly opened: PurchaseOpened; readonly reason: string }
  | Sold;

/** A purchase with an open charge. */
export interface BeingCharged {
  readonly status: 'charging';
  readonly opened: PurchaseOpened;
  /** Whether an event says that an answer of the gateway was lost. */
  readonly lost: boolean;
}

/** A cancellation of the charge is under way, by an operator or after a refusal of the gateway: its outcome no longer counts. */
export interface BeingVoided {
  readonly status: 'voiding';
  readonly opened: PurchaseOpened;
  readonly lost: boolean;
  /** The reason for the buyer. */
  readonly reason: string;
}

export const noPurchase: PurchaseState = { status: 'none', abandoned: [] };

/** The number of units that are not cancelled. */
export function unitsLeftOf({ made, cancelled }: Sold): number {
  return made.quantity - cancelled.size;
}

/** Who gives the buyer money back for cancelled coupons (ruling I15). */
export function refundByOf({ charged }: Sold): RefundBy {
  return charged ? 'gateway' : 'partner';
}

/** The coupons of the units that are not cancelled; a reissued coupon has its new id. */
export function couponsLeftOf({ cancelled, replacements }: Sold, issued: readonly string[]): readonly string[] {
  const present = (coupon: string): string => {
    let last = coupon;
    for (let next = replacements[last]; next !== undefined; next = replacements[last]) last = next;
    return last;
  };
  return issued.map(present).filter((coupon) => !cancelled.has(coupon));
}

/** Cents that the gateway must still give back for a cancelled coupon; undefined if nothing is due. */
export function moneyDueFor({ money_due }: Sold, coupon: string): number | undefined {
  return Object.hasOwn(money_due, coupon) ? money_due[coupon] : undefined;
}

export function evolve(state: PurchaseState, event: PurchaseEvent): PurchaseState {
  if (event.type === 'purchase-buyer-erased.v1') {
    const { erased_at: at, reason } = event.data;
    return { ...state, buyer_erased: { at, reason } };
  }
  const { buyer_erased } = state;
  const next = progress(state, event);
  return buyer_erased === undefined || next === state ? next : { ...next, buyer_erased };
}

type Progresses = Exclude<PurchaseEvent, { readonly type: 'purchase-buyer-erased.v1' }>;

function progress(state: PurchaseState, event: Progresses): PurchaseState {
  switch (event.type) {
    case 'purchase-recorded.v1':
      return sold(event.data, null);
    case 'purchase-opened.v1':
      return { status: 'charging', opened: event.data, lost: false };
    case 'purchase-charge-lost.v1':
      return state.status === 'charging' ? { ...state, lost: true } : state;
    case 'purchase-charge-refused.v1':
      return state.status === 'charging' ? { ...state, status: 'voiding', reason: event.data.reason } : state;
    case 'purchase-charged.v1':
      return 'opened' in state ? sold(state.opened, state.opened.credit_card_id) : state;
    case 'purchase-declined.v1':
      return 'opened' in state ? { status: 'declined', opened: state.opened, reason: event.data.reason } : state;
    case 'purchase-void-asked.v1':
      return state.status === 'charging' ? { ...state, status: 'voiding', reason: 'voided' } : state;
    case 'purchase-voided.v1':
      return state.status === 'voiding' ? { status: 'voided', opened: state.opened, reason: state.reason } : state;
    case 'purchase-refund-asked.v1':
      return state.status === 'sold' ? { ...state, refund_asked: true } : state;
    case 'purchase-coupon-cancelled.v1': {
      if (state.status !== 'sold') return state;
      const { coupon_id, refund_by, refund, refunded } = event.data;
      const isDue = refund_by === 'gateway' && refund > 0;
      const money_due = isDue ? { ...state.money_due, [coupon_id]: refund } : state.money_due;
      return { ...state, cancelled: state.cancelled.set(coupon_id, refund), money_due, refunded };
    }
    case 'purchase-coupon-replaced.v1': {
      if (state.status !== 'sold') return state;
      const { coupon_id, replacement_id } = event.data;
      return { ...state, replacements: { ...state.replacements, [coupon_id]: replacement_id } };
    }
    case 'purchase-money-returned.v1':
    case 'purchase-money-refused.v1': {
      if (state.status !== 'sold') return state;
      const { [event.data.coupon_id]: _, ...money_due } = state.money_due;
      return { ...state, money_due };
    }
    case 'purchase-resold.v1': {
      const { purchase_id, partner_id, deal, quantity, price, amount, created_at } = event.data;
      const { resale_id, content, transaction_reference } = event.data;
      const made = { purchase_id, partner_id, user_id: null, deal, quantity, price, amount, created_at };
      const abandoned = 'abandoned' in state ? state.abandoned : [];
      return { ...sold(made, null), resale: { resale_id, content, transaction_reference }, abandoned };
    }
    case 'purchase-resale-abandoned.v1':
      return 'abandoned' in state ? { ...state, abandoned: [...state.abandoned, event.data.resale_id] } : state;
  }
}

function sold(made: Made, credit_card_id: string | null): Sold {
  return {
    status: 'sold',
    made,
    resale: null,
    abandoned: [],
    charged: credit_card_id !== null,
    credit_card_id,
    cancelled: Map(),
    replacements: {},
    refund_asked: false,
    money_due: {},
    refunded: 0,
  };
}
