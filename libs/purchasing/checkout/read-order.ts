import { faultsOf, isPlainNumber, text, ValidationFailed, type ErrorEntry } from '#http';
import type { Instant } from '#kernel';
import { readAddress, readCard, readNewUser, readUserEmail } from '#people';
import { FULL, STORED_CARD } from './order.parameters.js';
import type { BuyerDetails, Given, Order, OrderKind } from './order.js';

type Parameters = Readonly<Record<string, unknown>>;

/** An order for the use case, and the faults of its parameters. The use case only learns which parts have faults. */
export interface ReadOrder {
  readonly order: Order;
  readonly unreadable: Unreadable;
}

/** The faults of the parameters of each part, in their order. */
export interface Unreadable {
  readonly buyer: readonly ErrorEntry[];
  readonly card: readonly ErrorEntry[];
  readonly purchase: readonly ErrorEntry[];
  readonly address: readonly ErrorEntry[];
}

/** The parameters that name a part: by its id, or by its details. */
export const PARAMETERS = {
  buyer: { id: 'user_id', details: 'user' },
  card: { id: 'credit_card_id', details: 'credit_card' },
  address: { id: 'shipping_address_id', details: 'shipping_address' },
} as const;

type NamedPart = keyof typeof PARAMETERS;

/** A part of an order, with its faults. */
interface Read<T> {
  readonly value: T;
  readonly faults: readonly ErrorEntry[];
}

/**
 * Reads an order with a card. It throws nothing: the use case decides which faults the answer reports (ruling D6).
 * @param now to refuse an expired card
 */
export function readOrder(kind: OrderKind, parameters: Parameters, now: Instant): ReadOrder {
  const purchase = readPurchase(kind, parameters);
  const buyer = readNamed('buyer', kind, parameters, readBuyer);
  const card = readNamed('card', kind, parameters, (given) => orFaults(() => readCard(given, now).details));
  const address = readNamed('address', kind, parameters, (given) => orFaults(() => readAddress(given)));
  const order: Order = {
    kind,
    ...purchase.value,
    readable: purchase.faults.length === 0,
    buyer: buyer.value,
    card: card.value,
    address: address.value,
    verification_value: kind === 'full' ? verificationValueIn(parameters) : undefined,
  };
  const unreadable = { buyer: buyer.faults, card: card.faults, purchase: purchase.faults, address: address.faults };
  return { order, unreadable };
}

type PurchaseValues = Pick<Order, 'deal_id' | 'quantity' | 'expected_price' | 'session_id'>;

/** Reads the parameters of the purchase itself. Each valid one is in the result, even if others are wrong. */
function readPurchase(kind: OrderKind, parameters: Parameters): Read<PurchaseValues> {
  const schema = kind === 'full' ? FULL : STORED_CARD;
  const parsed = schema.safeParse(parameters);
  const each = <Name extends keyof typeof FULL.shape>(name: Name) =>
    parsed.success ? parsed.data[name] : schema.shape[name].safeParse(parameters[name]).data;
  return {
    value: {
      deal_id: each('deal_id') as string | undefined,
      quantity: each('quantity') as number | undefined,
      expected_price: each('expected_price_per_unit') as number | undefined,
      session_id: each('session_id') as string | undefined,
    },
    faults: parsed.success ? [] : faultsOf(parsed.error, parameters, 'purchase'),
  };
}

/** Reads a part that an id or details name. With a stored card, it ignores details. */
function readNamed<Details>(
  part: NamedPart,
  kind: OrderKind,
  parameters: Parameters,
  read: (given: unknown) => Read<Details | undefined>,
): Read<Given<Details>> {
  const names = PARAMETERS[part];
  const details = kind === 'full' ? parameters[names.details] : undefined;
  const id = parameters[names.id];
  if (isPresent(id)) {
    const parsed = ID.safeParse(id);
    if (parsed.success) return { value: { by: 'id', id: parsed.data, withDetails: isPresent(details) }, faults: [] };
    const message = parsed.error.issues[0]?.message ?? 'is wrong';
    const fault = { type: 'invalid', message, field: names.id, resource: names.details } as const;
    return { value: { by: 'unreadable' }, faults: [fault] };
  }
  if (details === undefined) return { value: { by: 'nothing' }, faults: [] };
  const { value, faults } = read(details);
  return { value: value === undefined ? { by: 'unreadable' } : { by: 'details', details: value }, faults };
}

/** An integer counts as its text (ruling I1). */
const ID = text('id');

/** An empty value counts as absent. */
function isPresent(given: unknown): boolean {
  return given !== undefined && given !== null && given !== '';
}

/** Reads a buyer. For a known e-mail address, faults in the rest do not matter (ruling D6). */
function readBuyer(given: unknown): Read<BuyerDetails | undefined> {
  const { value: user, faults } = orFaults(() => readNewUser(given));
  const email = user?.email ?? orFaults(() => readUserEmail(given)).value;
  return { value: email === undefined ? undefined : { email, user }, faults };
}

/** The result of a reader, or the faults that it throws. */
function orFaults<T>(read: () => T): Read<T | undefined> {
  try {
    return { value: read(), faults: [] };
  } catch (error) {
    if (error instanceof ValidationFailed) return { value: undefined, faults: error.entries };
    throw error;
  }
}

/** The verification value as given, even if the rest of the card has faults: a repeated charge may need it. */
function verificationValueIn(parameters: Parameters): string | undefined {
  const card = parameters[PARAMETERS.card.details];
  if (typeof card !== 'object' || card === null || !('verification_value' in card)) return undefined;
  const given = card.verification_value;
  return typeof given === 'string' || isPlainNumber(given) ? String(given) : undefined;
}
