import type { CommandContext, Done, Engine } from '#eventsourcing';
import { DomainError, type Position } from '#kernel';
import { CreateUser, findUserByEmail, newProfile, StoreAddress, StoreCard } from '#people';
import type { Checked } from './check-order.js';
import type { Buyer } from './sections.js';

/** Who buys, with what, and where it goes: all stored. */
export interface Parties {
  readonly user_id: string;
  readonly credit_card_id: string;
  readonly shipping_address_id: string | null;
  /** For the first charge alone; undefined with a card that was stored before. */
  readonly verification_value: string | undefined;
  /** The last position that storing them wrote. */
  readonly position: Position | undefined;
}

/** For whom, and under which command. */
export interface Storing {
  readonly partnerId: string;
  readonly context: CommandContext;
}

/** Sends a command of another context; what it did is a text, an id. */
export type Send = (command: CreateUser | StoreCard | StoreAddress) => Promise<Done<string>>;

/** Stores what an order brings along; what is there already is used as it is (interface 4.6.1). */
export async function storeParties(
  send: Send,
  engine: Engine,
  { buyer, paying, shipping }: Checked,
  storing: Storing,
): Promise<Parties> {
  const { partnerId, context } = storing;
  let position: Position | undefined;
  const done = ({ row, position: written }: Done<string>): string => {
    position = written ?? position;
    return row;
  };
  const user_id = done(await storeBuyer(send, engine, buyer, storing));
  const credit_card_id = paying.id ?? done(await send(new StoreCard(partnerId, user_id, paying.details, context)));
  const shipping_address_id =
    shipping.id !== undefined
      ? shipping.id
      : done(await send(new StoreAddress(partnerId, user_id, shipping.address, context)));
  const verification_value = paying.id === undefined ? paying.verification_value : undefined;
  return { user_id, credit_card_id, shipping_address_id, verification_value, position };
}

/** A rival may have made the same user meanwhile: then that one buys. */
async function storeBuyer(
  send: Send,
  engine: Engine,
  buyer: Buyer,
  { partnerId, context }: Storing,
): Promise<Done<string>> {
  if (buyer.id !== undefined) return { row: buyer.id, position: undefined };
  const { user } = buyer;
  const profile = newProfile(user, engine.site.signupCredit);
  try {
    return await send(new CreateUser(partnerId, profile, user.password, context));
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'email_taken') throw error;
    const known = await findUserByEmail(engine, partnerId, user.email);
    if (known === null) throw error;
    return { row: known, position: undefined };
  }
}
