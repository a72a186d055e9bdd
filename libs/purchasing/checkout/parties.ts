import type { CommandContext, Done } from '#eventsourcing';
import { DomainError, type Position } from '#kernel';
import { CreateUser, findUserByEmail, StoreAddress, StoreCard } from '#people';
import type { Checked } from './check-order.js';
import type { OrderParts } from './order-parts.js';
import type { Buyer } from './sections.js';

/** The ids of the stored user, card and shipping address of a purchase. */
export interface Parties {
  readonly user_id: string;
  readonly credit_card_id: string;
  readonly shipping_address_id: string | null;
  /** The position of the last event of storing them; undefined if nothing was stored. */
  readonly position: Position | undefined;
}

/** The partner and the command that store them. */
export interface Storing {
  readonly partnerId: string;
  readonly context: CommandContext;
}

/** Sends a command of another context; its row is an id. */
export type Send = (command: CreateUser | StoreCard | StoreAddress) => Promise<Done<string>>;

/** Stores the new user, card and address of an order, and uses known ones as they are (interface 4.6.1). */
export async function storeParties(
  send: Send,
  parts: Pick<OrderParts, 'writer' | 'keyring'>,
  { buyer, paying, shipping }: Checked,
  storing: Storing,
): Promise<Parties> {
  const { partnerId, context } = storing;
  let position: Position | undefined;
  const done = ({ row, position: written }: Done<string>): string => {
    position = written ?? position;
    return row;
  };
  const user_id = done(await storeBuyer(send, parts, buyer, storing));
  const credit_card_id = paying.id ?? done(await send(new StoreCard(partnerId, user_id, paying.details, context)));
  const shipping_address_id =
    shipping.id !== undefined
      ? shipping.id
      : done(await send(new StoreAddress(partnerId, user_id, shipping.address, context)));
  return { user_id, credit_card_id, shipping_address_id, position };
}

/** Creates the buyer. If another request has just created a user with this e-mail address, that user buys. */
async function storeBuyer(
  send: Send,
  { writer, keyring }: Pick<OrderParts, 'writer' | 'keyring'>,
  buyer: Buyer,
  { partnerId, context }: Storing,
): Promise<Done<string>> {
  if (buyer.id !== undefined) return { row: buyer.id, position: undefined };
  const { password, ...profile } = buyer.user;
  try {
    return await send(new CreateUser(partnerId, profile, password, context));
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'email_taken') throw error;
    const known = await findUserByEmail(writer, keyring, partnerId, profile.email);
    if (known === null) throw error;
    return { row: known, position: undefined };
  }
}
