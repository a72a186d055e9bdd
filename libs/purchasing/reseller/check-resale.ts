import type { DealDetails, Details } from '../ports/deal-details.js';
import { REQUIRED, type ResaleFault, type ResaleKind, type ResaleOrder } from './resale.js';

/** The kind of the deal, and the faults of the order for it. */
export interface CheckedResale {
  readonly kind: ResaleKind;
  readonly faults: readonly ResaleFault[];
}

/** Checks an order against what its kind of deal requires (interface 4.6.2). An unknown deal requires what all kinds do. */
export async function checkResale(deals: DealDetails, { deal_id, absent, sent }: ResaleOrder): Promise<CheckedResale> {
  const deal = deal_id === undefined ? undefined : await deals.find(deal_id);
  const kind = deal === undefined ? 'card-linked' : kindOf(deal);
  const faults: ResaleFault[] = absent
    .filter((field) => REQUIRED[kind].includes(field))
    .map((field) => ({ code: 'missing', field }));
  if (deal !== undefined && kind === 'card-linked' && sent !== undefined && sent.quantity !== 1) {
    faults.push({ code: 'more_than_one' });
  }
  if (deal_id !== undefined && deal === undefined) faults.push({ code: 'unknown_deal' });
  return { kind, faults };
}

function kindOf({ type, fulfillment_method, shipping_address_required }: Details): ResaleKind {
  if (type === 'card-linked') return 'card-linked';
  return fulfillment_method === 'shipped' || shipping_address_required ? 'shipped' : 'prepaid';
}
