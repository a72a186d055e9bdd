import { z } from 'zod';
import { faultsOf, instant, integer, optional, text, twoLetters, units, type ErrorEntry } from '#http';
import { RESALE_FIELDS, type ResaleField, type ResaleOrder, type SentResale } from './resale.js';

const trimmed = (input: unknown): unknown => (typeof input === 'string' ? input.trim() : input);
/** A text of blanks alone counts as absent. */
const line = () => z.preprocess(trimmed, optional(text('line')));

const SHIPPED = 'Required for a shipped deal.';

/** The body of a reseller's purchase (interface 4.6.2). The kind of the deal decides what else is required. */
export const RESALE = z.object({
  deal_id: text('id'),
  quantity: optional(units()).describe('Required, except for a card-linked deal, where it is 1.'),
  transaction_reference: text('line').describe('Yours: one transaction has one reference.'),
  transaction_date: instant(),
  transaction_amount: integer('cents').describe('Cents that the buyer paid you for all units.'),
  first_name: line().describe('Required, except for a card-linked deal.'),
  last_name: line().describe('Required, except for a card-linked deal.'),
  address_type: line().describe(SHIPPED),
  address1: line().describe(SHIPPED),
  address2: line().describe(SHIPPED),
  postal_code: z.preprocess(trimmed, optional(text('zip'))).describe(SHIPPED),
  city: line().describe(SHIPPED),
  state: z.preprocess(trimmed, optional(twoLetters())).describe(`${SHIPPED} Two letters.`),
  country: z.preprocess(trimmed, optional(twoLetters())).describe(`${SHIPPED} Two letters.`),
  telephone: line().describe(SHIPPED),
});

export const RESALE_EXAMPLE = {
  deal_id: 'rowing-on-the-charles',
  quantity: 1,
  transaction_reference: 'order-1001',
  transaction_date: '2027-01-31T12:00:00Z',
  transaction_amount: 2500,
  first_name: 'Grace',
  last_name: 'Hopper',
};

/** An order as it was read, and the entries of parameters with faults. */
export interface ReadResale {
  readonly order: ResaleOrder;
  readonly unreadable: readonly ErrorEntry[];
}

/** Reads a reseller's purchase. Faults do not throw: the kind of the deal may add more, and one answer has all of them. */
export function readResale(parameters: unknown): ReadResale {
  const given = (parameters ?? {}) as Readonly<Record<string, unknown>>;
  const absent = RESALE_FIELDS.filter((field) => isAbsent(field, given[field]));
  const deal = RESALE.shape.deal_id.safeParse(given['deal_id']);
  const parsed = RESALE.safeParse(given);
  const order = { deal_id: deal.success ? deal.data : undefined, absent };
  if (!parsed.success) {
    const entries = faultsOf(parsed.error, given, 'purchase').filter(({ type }) => type !== 'missing_field');
    return { order: { ...order, sent: undefined }, unreadable: entries };
  }
  return { order: { ...order, sent: sentOf(parsed.data) }, unreadable: [] };
}

function isAbsent(field: ResaleField, input: unknown): boolean {
  if (input === undefined || input === '') return true;
  const read = RESALE.shape[field].safeParse(input);
  return read.success && read.data === undefined;
}

function sentOf(input: z.infer<typeof RESALE>): SentResale {
  const { deal_id, quantity, transaction_reference, transaction_date, transaction_amount } = input;
  const buyer = {
    first_name: input.first_name ?? null,
    last_name: input.last_name ?? null,
    address_type: input.address_type ?? null,
    address1: input.address1 ?? null,
    address2: input.address2 ?? null,
    postal_code: input.postal_code ?? null,
    city: input.city ?? null,
    state: input.state ?? null,
    country: input.country ?? null,
    telephone: input.telephone ?? null,
  };
  return {
    deal_id,
    transaction_reference,
    transaction_date,
    transaction_amount,
    quantity: quantity ?? 1,
    buyer: Object.values(buyer).every((value) => value === null) ? null : buyer,
  };
}

/** The fields whose entries are about the shipping address. */
const OF_ADDRESS: ReadonlySet<string> = new Set<ResaleField>([
  'address_type',
  'address1',
  'address2',
  'postal_code',
  'city',
  'state',
  'country',
  'telephone',
]);

/** The resource of a field's entry (ruling D11). */
export function resourceOf(field: string | undefined): 'purchase' | 'shipping_address' {
  return field !== undefined && OF_ADDRESS.has(field) ? 'shipping_address' : 'purchase';
}
