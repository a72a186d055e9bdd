import { isDeepStrictEqual } from 'node:util';
import { defineStreamRules, type Recorded } from '#kernel';
import { purchase } from '../purchase/purchase.decider.js';
import type { PurchaseEvent } from '../purchase/purchase.events.js';
import { moneyDueFor, type PurchaseState } from '../purchase/purchase.state.js';

/** The money of a purchase: price × quantity is what is charged, and nothing goes back that is not due. */
export const moneyRules = defineStreamRules(
  purchase,
  [
    ...(['purchase-recorded.v1', 'purchase-opened.v1'] as const),
    ...(['purchase-coupon-cancelled.v1', 'purchase-coupon-replaced.v1'] as const),
  ],
  () => ({ check: wrongIn }),
);

function wrongIn(before: PurchaseState, event: Recorded<PurchaseEvent>): readonly string[] {
  switch (event.type) {
    case 'purchase-recorded.v1':
      return [...begins(before), ...product(event.data)];
    case 'purchase-opened.v1':
      return [...begins(before), ...product(event.data), ...couponsOf(event.data)];
    case 'purchase-resold.v1':
      return [...begins(before), ...couponsOf(event.data)];
    case 'purchase-charged.v1': {
      if (before.status !== 'charging') return ['it charges a purchase that has no open charge'];
      const { amount, coupons, deal, user_id } = before.opened;
      const { data } = event;
      const wrong = data.amount === amount ? [] : [`it charges ${data.amount}, and the purchase costs ${amount}`];
      const isSame = isDeepStrictEqual([data.coupons, data.deal, data.user_id], [coupons, deal, user_id]);
      return isSame ? wrong : [...wrong, 'its coupons, deal or user are not those of the purchase'];
    }
    case 'purchase-charge-lost.v1':
    case 'purchase-charge-refused.v1':
    case 'purchase-declined.v1':
    case 'purchase-void-asked.v1':
      return before.status === 'charging' ? [] : ['the purchase has no open charge'];
    case 'purchase-voided.v1':
      return before.status === 'voiding' ? [] : ['nobody has voided the purchase'];
    case 'purchase-refund-asked.v1':
    case 'purchase-coupon-cancelled.v1':
    case 'purchase-coupon-replaced.v1':
      return before.status === 'sold' ? [] : ['the purchase has sold nothing'];
    case 'purchase-money-returned.v1':
    case 'purchase-money-refused.v1': {
      const due = before.status === 'sold' ? moneyDueFor(before, event.data.coupon_id) : undefined;
      return due === event.data.amount ? [] : [`it gives back ${event.data.amount}, and ${due ?? 'nothing'} is due`];
    }
    case 'purchase-resale-abandoned.v1':
    case 'purchase-buyer-erased.v1':
      return [];
  }
}

function begins({ status }: PurchaseState): string[] {
  return status === 'none' ? [] : ['the purchase exists already'];
}

interface Made {
  readonly quantity: number;
  readonly price: number;
  readonly amount: number;
}

function product({ quantity, price, amount }: Made): string[] {
  return amount === price * quantity
    ? []
    : [`its amount is ${amount}, and ${quantity} × ${price} is ${quantity * price}`];
}

function couponsOf({ quantity, coupons }: Pick<Made, 'quantity'> & { readonly coupons: readonly object[] }): string[] {
  return coupons.length === quantity ? [] : [`it has ${coupons.length} coupons for ${quantity} units`];
}
