import type { PurchaseEvent, PurchaseMade, PurchaseOpened } from './purchase.events.js';

/** A purchase whose units were sold. */
export interface Sold {
  readonly status: 'sold';
  readonly made: PurchaseMade;
  /** Whether our gateway took the money, and has to give it back. */
  readonly charged: boolean;
  /** Cancelled coupons. */
  readonly cancelled: readonly string[];
  /** The new coupon of each one that was issued again. */
  readonly replacements: Readonly<Record<string, string>>;
  /** Whether an operator asked for all of it back. */
  readonly refund_asked: boolean;
  /** Cancelled coupons whose money the gateway has not given back yet. */
  readonly money_due: readonly string[];
  /** Cents that go back in all. */
  readonly refunded: number;
}

export type PurchaseState =
  | { readonly status: 'none' }
  /** Its card is being charged; while an operator voids it, no outcome of the charge counts any more. */
  | { readonly status: 'charging' | 'voiding'; readonly opened: PurchaseOpened }
  | { readonly status: 'declined' | 'voided'; readonly opened: PurchaseOpened; readonly reason: string }
  | Sold;

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

export function evolve(state: PurchaseState, event: PurchaseEvent): PurchaseState {
  switch (event.type) {
    case 'purchase-recorded.v1':
      return sold(event.data, false);
    case 'purchase-opened.v1':
      return { status: 'charging', opened: event.data };
    case 'purchase-charged.v1':
      return 'opened' in state ? sold(state.opened, true) : state;
    case 'purchase-declined.v1':
      return 'opened' in state ? { status: 'declined', opened: state.opened, reason: event.data.reason } : state;
    case 'purchase-void-asked.v1':
      return 'opened' in state ? { status: 'voiding', opened: state.opened } : state;
    case 'purchase-voided.v1':
      return 'opened' in state ? { status: 'voided', opened: state.opened, reason: 'voided' } : state;
    case 'purchase-refund-asked.v1':
      return state.status === 'sold' ? { ...state, refund_asked: true } : state;
    case 'purchase-coupon-cancelled.v1': {
      if (state.status !== 'sold') return state;
      const { coupon_id, refund, refunded } = event.data;
      const money_due = refund > 0 ? [...state.money_due, coupon_id] : state.money_due;
      return { ...state, cancelled: [...state.cancelled, coupon_id], money_due, refunded };
    }
    case 'purchase-coupon-replaced.v1': {
      if (state.status !== 'sold') return state;
      const { coupon_id, replacement_id } = event.data;
      return { ...state, replacements: { ...state.replacements, [coupon_id]: replacement_id } };
    }
    case 'purchase-money-returned.v1': {
      if (state.status !== 'sold') return state;
      return { ...state, money_due: state.money_due.filter((coupon) => coupon !== event.data.coupon_id) };
    }
  }
}

function sold(made: PurchaseMade, charged: boolean): Sold {
  return {
    status: 'sold',
    made,
    charged,
    cancelled: [],
    replacements: {},
    refund_asked: false,
    money_due: [],
    refunded: 0,
  };
}
