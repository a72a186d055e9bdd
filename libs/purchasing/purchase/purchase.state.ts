import type { PurchaseEvent, PurchaseMade, PurchaseOpened } from './purchase.events.js';

/** A purchase whose units were sold. */
export interface Sold {
  readonly status: 'sold';
  readonly made: PurchaseMade;
  /** Whether our gateway took the money, and has to give it back. */
  readonly charged: boolean;
  /** The card that it took the money from; null where the payment was the partner's. */
  readonly credit_card_id: string | null;
  /** Cancelled coupons. */
  readonly cancelled: readonly string[];
  /** The new coupon of each one that was issued again. */
  readonly replacements: Readonly<Record<string, string>>;
  /** Whether an operator asked for all of it back. */
  readonly refund_asked: boolean;
  /** Cents of each cancelled coupon that the gateway has not given back yet. */
  readonly money_due: Readonly<Record<string, number>>;
  /** Cents that go back in all. */
  readonly refunded: number;
}

export type PurchaseState =
  | { readonly status: 'none' }
  | BeingCharged
  | BeingVoided
  | { readonly status: 'declined' | 'voided'; readonly opened: PurchaseOpened; readonly reason: string }
  | Sold;

/** A purchase whose card is being charged. */
export interface BeingCharged {
  readonly status: 'charging';
  readonly opened: PurchaseOpened;
  /** Whether an answer of the gateway was lost, and has its event. */
  readonly lost: boolean;
}

/** The charge is being cancelled, by an operator or because the gateway refuses it: no outcome of it counts any more. */
export interface BeingVoided {
  readonly status: 'voiding';
  readonly opened: PurchaseOpened;
  readonly lost: boolean;
  /** As its buyer is told. */
  readonly reason: string;
}

export const noPurchase: PurchaseState = { status: 'none' };

/** The units that are still bought. */
export function unitsLeftOf({ made, cancelled }: Sold): number {
  return made.quantity - cancelled.length;
}

/** The coupons that stand for the units that are still bought, those issued again among them. */
export function couponsLeftOf({ cancelled, replacements }: Sold, issued: readonly string[]): readonly string[] {
  const present = (coupon: string): string => {
    const replacement = replacements[coupon];
    return replacement === undefined ? coupon : present(replacement);
  };
  return issued.map(present).filter((coupon) => !cancelled.includes(coupon));
}

/** Cents that the gateway still has to give back for a cancelled coupon; undefined where nothing is due. */
export function moneyDueFor({ money_due }: Sold, coupon: string): number | undefined {
  return Object.hasOwn(money_due, coupon) ? money_due[coupon] : undefined;
}

export function evolve(state: PurchaseState, event: PurchaseEvent): PurchaseState {
  switch (event.type) {
    case 'purchase-recorded.v1':
      return sold(event.data, null);
    case 'purchase-opened.v1':
      return { status: 'charging', opened: event.data, lost: false };
    case 'purchase-charge-lost.v1':
      return state.status === 'charging' ? { ...state, lost: true } : state;
    case 'purchase-charge-refused.v1':
      return state.status === 'charging' ? { ...state, status: 'voiding', reason: event.data.reason } : state;
    case 'purchase-charged.v2':
      return 'opened' in state ? sold(state.opened, state.opened.credit_card_id) : state;
    case 'purchase-declined.v2':
      return 'opened' in state ? { status: 'declined', opened: state.opened, reason: event.data.reason } : state;
    case 'purchase-void-asked.v1':
      return state.status === 'charging' ? { ...state, status: 'voiding', reason: 'voided' } : state;
    case 'purchase-voided.v2':
      return state.status === 'voiding' ? { status: 'voided', opened: state.opened, reason: state.reason } : state;
    case 'purchase-refund-asked.v1':
      return state.status === 'sold' ? { ...state, refund_asked: true } : state;
    case 'purchase-coupon-cancelled.v1': {
      if (state.status !== 'sold') return state;
      const { coupon_id, refund, refunded } = event.data;
      const money_due = refund > 0 ? { ...state.money_due, [coupon_id]: refund } : state.money_due;
      return { ...state, cancelled: [...state.cancelled, coupon_id], money_due, refunded };
    }
    case 'purchase-coupon-replaced.v1': {
      if (state.status !== 'sold') return state;
      const { coupon_id, replacement_id } = event.data;
      return { ...state, replacements: { ...state.replacements, [coupon_id]: replacement_id } };
    }
    case 'purchase-money-returned.v2':
    case 'purchase-money-refused.v1': {
      if (state.status !== 'sold') return state;
      const { [event.data.coupon_id]: _, ...money_due } = state.money_due;
      return { ...state, money_due };
    }
  }
}

function sold(made: PurchaseMade, credit_card_id: string | null): Sold {
  return {
    status: 'sold',
    made,
    charged: credit_card_id !== null,
    credit_card_id,
    cancelled: [],
    replacements: {},
    refund_asked: false,
    money_due: {},
    refunded: 0,
  };
}
