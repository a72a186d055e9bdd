import type { Engine } from '#eventsourcing';
import { missing, text, ValidationFailed, type ErrorEntry } from '#http';
import type { Instant, Position } from '#kernel';
import {
  findCard,
  findUserByEmail,
  isUserOf,
  readAddress,
  readCard,
  readNewUser,
  readUserEmail,
  type Address,
  type CardDetails,
  type NewUser,
} from '#people';
import { address, user, wallet } from '#people/model';
import type { Order } from './order.js';

/** Who buys: a user that there is, or one to be made. */
export type Buyer = { readonly id: string } | { readonly id: undefined; readonly user: NewUser };

/** What is charged: a card that is stored, or one to be stored. */
export type Paying =
  | { readonly id: string }
  | { readonly id: undefined; readonly details: CardDetails; readonly verification_value: string };

/** Where it goes: an address that is stored, one to be stored, or nowhere. */
export type Shipping = { readonly id: string | null } | { readonly id: undefined; readonly address: Address };

/** A section of an order, or what is wrong with it. */
export interface Section<T> {
  readonly value: T | undefined;
  readonly faults: readonly ErrorEntry[];
}

/** Reads one section; its faults wait for those of the others (ruling D6). */
export async function section<T>(reading: Promise<T>): Promise<Section<T>> {
  try {
    return { value: await reading, faults: [] };
  } catch (error) {
    if (error instanceof ValidationFailed) return { value: undefined, faults: error.entries };
    throw error;
  }
}

/** Whose order it is, and how new what is looked up must be. */
export interface Asking {
  readonly partnerId: string;
  readonly since: Position;
  readonly now: Instant;
}

/** The buyer: by id, or by e-mail in any case, or new (ruling D6). */
export async function readBuyer(engine: Engine, { partnerId }: Asking, { kind, parameters }: Order): Promise<Buyer> {
  const id = idAt(parameters, 'user_id', 'user');
  if (id !== undefined) {
    if (!(await isUserOf(engine.loop, partnerId, id))) {
      throw fault('not_found', 'not found', 'user_id', 'user', 'you have no user with this id');
    }
    notBoth(parameters, 'user');
    return { id };
  }
  const given = parameters['user'];
  if (given === undefined) {
    throw new ValidationFailed([missing(kind === 'full' ? 'user' : 'user_id', 'user')]);
  }
  const known = await knownByEmail(engine, partnerId, given);
  return known === undefined ? { id: undefined, user: readNewUser(given) } : { id: known };
}

/** A user who has hidden himself keeps his e-mail: nobody else can have it (ruling E1). */
async function knownByEmail(engine: Engine, partnerId: string, given: unknown): Promise<string | undefined> {
  const email = emailOf(given);
  const id = email === undefined ? null : await findUserByEmail(engine, partnerId, email);
  if (id === null) return undefined;
  if ((await engine.loop.read(user, id))?.deleted === true) {
    const detail = 'by a user who is deleted: update_by_email with is_deleted=false brings them back';
    throw fault('invalid', 'has already been taken', 'email', 'user', detail);
  }
  return id;
}

/** undefined where the e-mail is wrong: then the whole section is read, and tells all its faults. */
function emailOf(given: unknown): string | undefined {
  try {
    return readUserEmail(given);
  } catch {
    return undefined;
  }
}

/** The card: one of the buyer's, or a new one. */
export async function readPaying(
  engine: Engine,
  { partnerId, since, now }: Asking,
  { parameters }: Order,
  buyer: Buyer | undefined,
): Promise<Paying> {
  const id = idAt(parameters, 'credit_card_id', 'credit_card');
  if (id === undefined) {
    const given = parameters['credit_card'];
    if (given === undefined) {
      throw new ValidationFailed([{ type: 'missing', message: 'missing credit card info', resource: 'credit_card' }]);
    }
    return { id: undefined, ...readCard(given, now) };
  }
  if (buyer?.id !== undefined && (await engine.loop.read(wallet, buyer.id)).cards.has(id)) {
    notBoth(parameters, 'credit_card');
    return { id };
  }
  const owner = await findCard(engine, partnerId, id, since);
  if (owner === undefined) {
    throw fault('not_found', 'not found', 'credit_card_id', 'credit_card', 'you have no credit card with this id');
  }
  if (buyer !== undefined) {
    throw fault('not_owner', 'not owner', 'credit_card_id', 'credit_card', 'the card is another user’s');
  }
  notBoth(parameters, 'credit_card');
  return { id };
}

/** The address; one that is given is looked at even where nothing is shipped. */
export async function readShipping(
  engine: Engine,
  { partnerId }: Asking,
  { kind, parameters }: Order,
  buyer: Buyer | undefined,
  required: boolean,
): Promise<Shipping> {
  const id = idAt(parameters, 'shipping_address_id', 'shipping_address');
  if (id === undefined) {
    const given = parameters['shipping_address'];
    if (given !== undefined) return { id: undefined, address: readAddress(given) };
    if (required) {
      const field = kind === 'full' ? 'shipping_address' : 'shipping_address_id';
      throw new ValidationFailed([missing(field, 'shipping_address')]);
    }
    return { id: null };
  }
  const stored = await engine.loop.read(address, id);
  if (stored?.partner_id !== partnerId) {
    const detail = 'you have no shipping address with this id';
    throw fault('not_found', 'not found', 'shipping_address_id', 'shipping_address', detail);
  }
  if (buyer !== undefined && stored.user_id !== buyer.id) {
    const detail = 'the address is another user’s';
    throw fault('not_owner', 'not owner', 'shipping_address_id', 'shipping_address', detail);
  }
  notBoth(parameters, 'shipping_address');
  return { id };
}

/** An id, where one is given; numbers count as their text (ruling A2), and empty is absent. */
function idAt(parameters: Order['parameters'], name: string, resource: string): string | undefined {
  const given = parameters[name];
  if (given === undefined || given === null || given === '') return undefined;
  const id = ID.safeParse(given);
  if (id.success) return id.data;
  throw fault('invalid', 'must be text', name, resource);
}

const ID = text('id');

/** An id stands in place of its section (interface 4.6.1): where both come, one would be passed over, and perhaps the one meant. */
function notBoth(parameters: Order['parameters'], section: string): void {
  const given = parameters[section];
  if (given === undefined || given === null || given === '') return;
  throw fault('invalid', `send ${section}_id or ${section}, not both`, section, section);
}

function fault(
  type: ErrorEntry['type'],
  message: string,
  field: string,
  resource: string,
  detail?: string,
): ValidationFailed {
  return new ValidationFailed([{ type, message, field, resource, ...(detail !== undefined && { detail }) }]);
}
