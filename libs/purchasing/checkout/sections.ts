import type { Writer } from '#eventsourcing';
import type { Instant, Position } from '#kernel';
import { cardIdOf, findCard, findUserByEmail, isUserOf, type Address, type CardDetails, type NewUser } from '#people';
import { address, hasRoomFor, user, wallet } from '#people/model';
import type { BuyerDetails, Order, OrderFault } from './order.js';
import type { OrderParts } from './order-parts.js';

/** The buyer: a stored user, or a new one. */
export type Buyer = { readonly id: string } | { readonly id: undefined; readonly user: NewUser };

/** The card to charge: a stored one, or a new one. */
export type Paying = { readonly id: string } | { readonly id: undefined; readonly details: CardDetails };

/** The shipping address: a stored one, none (null), or a new one. */
export type Shipping = { readonly id: string | null } | { readonly id: undefined; readonly address: Address };

/** A part of an order, or its fault. */
export type Section<T> =
  | { readonly value: T; readonly fault?: never }
  | { readonly value?: never; readonly fault: OrderFault };

/** The partner of the order, the position that the views must have reached, and the time. */
export interface Asking {
  readonly partnerId: string;
  readonly since: Position;
  readonly now: Instant;
}

/** Finds the buyer: by id, by e-mail in any case, or new (ruling D6). */
export async function findBuyer(
  parts: Pick<OrderParts, 'writer' | 'keyring'>,
  { partnerId }: Asking,
  { buyer }: Pick<Order, 'buyer'>,
): Promise<Section<Buyer>> {
  const fault = (code: Extract<OrderFault, { part: 'buyer' }>['code']): Section<Buyer> => ({
    fault: { part: 'buyer', code },
  });
  switch (buyer.by) {
    case 'nothing':
      return fault('missing');
    case 'unreadable':
      return fault('unreadable');
    case 'id':
      if (!(await isUserOf(parts.writer, partnerId, buyer.id))) return fault('unknown');
      return buyer.withDetails ? fault('named_twice') : { value: { id: buyer.id } };
    case 'details':
      return buyerByEmail(parts, partnerId, buyer.details);
  }
}

/** A deleted user keeps their e-mail address: nobody else can have it (ruling E1). */
async function buyerByEmail(
  { writer, keyring }: Pick<OrderParts, 'writer' | 'keyring'>,
  partnerId: string,
  { email, user: given }: BuyerDetails,
): Promise<Section<Buyer>> {
  const id = await findUserByEmail(writer, keyring, partnerId, email);
  if (id !== null) {
    const deleted = (await writer.read(user, id))?.deleted === true;
    return deleted ? { fault: { part: 'buyer', code: 'deleted' } } : { value: { id } };
  }
  return given === undefined
    ? { fault: { part: 'buyer', code: 'unreadable' } }
    : { value: { id: undefined, user: given } };
}

/** Finds the card: one of the buyer's, or a new one that their wallet has room for. */
export async function findPaying(
  { writer, reader, keyring, vault }: Readonly<OrderParts>,
  { partnerId, since }: Asking,
  { card }: Pick<Order, 'card'>,
  buyer: Buyer | undefined,
): Promise<Section<Paying>> {
  const fault = (code: Extract<OrderFault, { part: 'card' }>['code']): Section<Paying> => ({
    fault: { part: 'card', code },
  });
  switch (card.by) {
    case 'nothing':
      return fault('missing');
    case 'unreadable':
      return fault('unreadable');
    case 'details': {
      const { details } = card;
      if (buyer?.id !== undefined) {
        const cards = await writer.read(wallet, buyer.id);
        if (!hasRoomFor(cards, cardIdOf(keyring, vault, buyer.id, details.number))) return fault('used_up');
      }
      return { value: { id: undefined, details } };
    }
    case 'id': {
      const { id } = card;
      const stored = buyer?.id === undefined ? undefined : (await writer.read(wallet, buyer.id)).cards.get(id);
      // A deleted card is there no more (ruling I13).
      if (stored?.deleted === true) return fault('unknown');
      if (stored === undefined) {
        const owner = await findCard(reader, partnerId, id, since);
        if (owner === undefined) return fault('unknown');
        if (buyer !== undefined) return fault('of_another');
      }
      return card.withDetails ? fault('named_twice') : { value: { id } };
    }
  }
}

/** Finds the address. Checks a given one even if the deal is not shipped. */
export async function findShipping(
  writer: Writer,
  { partnerId }: Asking,
  { address: given }: Pick<Order, 'address'>,
  buyer: Buyer | undefined,
  required: boolean,
): Promise<Section<Shipping>> {
  const fault = (code: Extract<OrderFault, { part: 'address' }>['code']): Section<Shipping> => ({
    fault: { part: 'address', code },
  });
  switch (given.by) {
    case 'nothing':
      return required ? fault('missing') : { value: { id: null } };
    case 'unreadable':
      return fault('unreadable');
    case 'details':
      return { value: { id: undefined, address: given.details } };
    case 'id': {
      const { id } = given;
      const stored = await writer.read(address, id);
      if (stored?.partner_id !== partnerId || stored.removed) return fault('unknown');
      if (buyer !== undefined && stored.user_id !== buyer.id) return fault('of_another');
      return given.withDetails ? fault('named_twice') : { value: { id } };
    }
  }
}
