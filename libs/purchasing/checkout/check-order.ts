import { DomainError, type Position } from '#kernel';
import type { DealDetails } from '../ports/deal-details.js';
import { inventory } from '../inventory/inventory.decider.js';
import { noInventory } from '../inventory/inventory.state.js';
import { purchaseFaults } from '../inventory/checkout.rules.js';
import { OrderInvalid, type Order, type OrderFault } from './order.js';
import type { OrderParts } from './order-parts.js';
import { findBuyer, findPaying, findShipping, type Buyer, type Paying, type Shipping } from './sections.js';

/** An order with a valid user, card and address. */
export interface Checked {
  readonly buyer: Buyer;
  readonly paying: Paying;
  readonly shipping: Shipping;
  /** Faults of the purchase itself that are known before the decision. */
  readonly faults: readonly OrderFault[];
}

/** An order to check: its partner, and the position that the views must have reached. */
export interface Checking {
  readonly partnerId: string;
  readonly order: Order;
  readonly since: Position;
}

/**
 * Checks all parts of an order and reports their faults together (ruling D6). Faults of the purchase itself do not stop the
 * service from storing user and card.
 * @throws OrderInvalid for a fault of user, card or address, or for an unknown deal
 * @throws DomainError deal_not_found with a stored card (ruling A8)
 */
export async function checkOrder(
  parts: Readonly<OrderParts>,
  deals: DealDetails,
  checking: Checking,
): Promise<Checked> {
  const { order } = checking;
  const now = parts.clock.now();
  const state = order.deal_id === undefined ? noInventory : await parts.writer.read(inventory, order.deal_id);
  const deal = state.terms === null ? undefined : await deals.find(state.terms.deal.id);
  const shipped = deal?.fulfillment_method === 'shipped' || deal?.shipping_address_required === true;
  const asking = { ...checking, now };

  const buyer = await findBuyer(parts, asking, order);
  const paying = await findPaying(parts, asking, order, buyer.value);
  const shipping = await findShipping(parts.writer, asking, order, buyer.value, shipped);
  const unknown = order.deal_id !== undefined && state.terms === null;
  const others = [buyer.fault, paying.fault, shipping.fault].filter((fault) => fault !== undefined);
  if (unknown && order.kind === 'full') others.push({ part: 'deal', code: 'unknown' });

  const faults: OrderFault[] = [];
  if (!order.readable) faults.push({ part: 'purchase', code: 'unreadable' });
  // If nothing else is wrong, the decision itself reports the purchase's faults.
  if (others.length > 0 || !order.readable) {
    const { quantity, expected_price } = order;
    const wanted = { user_id: buyer.value?.id, quantity, expected_price };
    faults.push(...purchaseFaults(state, wanted, now).map((fault) => ({ part: 'purchase', ...fault }) as const));
  }
  if (buyer.value === undefined || paying.value === undefined || shipping.value === undefined || others.length > 0) {
    throw new OrderInvalid([...others, ...faults]);
  }
  if (unknown) throw new DomainError('deal_not_found', 'Unable to find');
  return { buyer: buyer.value, paying: paying.value, shipping: shipping.value, faults };
}
