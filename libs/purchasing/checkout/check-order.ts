import type { Engine } from '#eventsourcing';
import { ValidationFailed, type ErrorEntry } from '#http';
import { DomainError, type Instant, type Position } from '#kernel';
import type { DealDetails } from '../ports/deal-details.js';
import { inventory } from '../inventory/inventory.decider.js';
import { noInventory } from '../inventory/inventory.state.js';
import { purchaseFaults, type PurchaseFault } from '../inventory/checkout.rules.js';
import type { Order } from './order.js';
import { readBuyer, readPaying, readShipping, section, type Buyer, type Paying, type Shipping } from './sections.js';

/** An order whose user, card and address are well said. */
export interface Checked {
  readonly buyer: Buyer;
  readonly paying: Paying;
  readonly shipping: Shipping;
  /** What is wrong with the purchase alone, as far as it shows before the units are taken. */
  readonly faults: readonly ErrorEntry[];
}

/** Whose order is checked, and how new what is looked up must be. */
export interface Checking {
  readonly partnerId: string;
  readonly order: Order;
  readonly since: Position;
}

const UNKNOWN_DEAL: ErrorEntry = {
  type: 'not_found',
  message: 'deal not found',
  resource: 'deal',
  detail: 'no deal has this deal_id: GET /v1/deals lists those on sale',
};

const FIELDS = ['deal_id', 'quantity', 'expected_price_per_unit', 'session_id'];

/**
 * Checks all sections of an order, and tells all their faults at once: user, card, purchase, address, deal (ruling D6). What
 * is wrong with the purchase alone does not keep user and card from being stored.
 * @throws ValidationFailed for a fault of user, card or address, or for an unknown deal
 * @throws DomainError deal_not_found with a stored card (ruling A8)
 */
export async function checkOrder(engine: Engine, deals: DealDetails, checking: Checking): Promise<Checked> {
  const { loop, clock } = engine;
  const { order } = checking;
  const now = clock.now();
  const state = order.deal_id === undefined ? noInventory : await loop.read(inventory, order.deal_id);
  const deal = state.terms === null ? undefined : await deals.find(state.terms.deal.id);
  const shipped = deal?.fulfillment_method === 'shipped' || deal?.shipping_address_required === true;
  const asking = { ...checking, now };

  const buyer = await section(readBuyer(engine, asking, order));
  const paying = await section(readPaying(engine, asking, order, buyer.value));
  const shipping = await section(readShipping(engine, asking, order, buyer.value, shipped));
  const unknown = order.deal_id !== undefined && state.terms === null;
  const ofDeal = unknown && order.kind === 'full' ? [UNKNOWN_DEAL] : [];
  const others = buyer.faults.length + paying.faults.length + shipping.faults.length + ofDeal.length;
  // With nothing else to tell, the decision itself tells what is wrong with the purchase.
  const ofPurchase =
    others + order.faults.length === 0 ? [] : all(order.faults, faultsOn(state, buyer.value, order, now));

  if (buyer.value === undefined || paying.value === undefined || shipping.value === undefined || others > 0) {
    throw new ValidationFailed([...buyer.faults, ...paying.faults, ...ofPurchase, ...shipping.faults, ...ofDeal]);
  }
  if (unknown) throw new DomainError('deal_not_found', 'Unable to find');
  return { buyer: buyer.value, paying: paying.value, shipping: shipping.value, faults: ofPurchase };
}

/** The entry of a fault that the decision finds. */
export function entryOf(fault: PurchaseFault): ErrorEntry {
  const { message, detail } = fault.field === 'quantity' ? tooMany(fault.at_most) : otherPrice(fault.price);
  return { type: 'invalid', message, field: fault.field, resource: 'purchase', detail };
}

interface Words {
  readonly message: string;
  readonly detail: string;
}

function tooMany(at_most: number): Words {
  const detail =
    at_most === 0
      ? 'none is left for this user: one user may have no more of this deal'
      : `from 1 to ${at_most} units of this deal can be bought now`;
  return { message: 'cannot purchase that many', detail };
}

function otherPrice(price: number): Words {
  return { message: 'price has changed', detail: `a unit costs ${price} cents now` };
}

function faultsOn(
  state: typeof noInventory,
  buyer: Buyer | undefined,
  { quantity, expected_price }: Order,
  now: Instant,
): ErrorEntry[] {
  return purchaseFaults(state, { user_id: buyer?.id, quantity, expected_price }, now).map(entryOf);
}

/** In the order of the parameters. */
function all(said: readonly ErrorEntry[], found: readonly ErrorEntry[]): ErrorEntry[] {
  const place = ({ field = '' }: ErrorEntry): number => FIELDS.indexOf(field);
  return [...said, ...found].sort((a, b) => place(a) - place(b));
}
