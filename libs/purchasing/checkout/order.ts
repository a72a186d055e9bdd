import { z } from 'zod';
import { faultsOf, optional, seenPrice, text, units, type ErrorEntry } from '#http';

/** Whether user, card and address may come along, or are named by their ids alone. */
export type OrderKind = 'full' | 'stored-card';

/** What a partner sends to buy with a card, its sections unread (interface 4.6, 4.6.1). */
export interface Order {
  readonly kind: OrderKind;
  readonly deal_id: string | undefined;
  readonly quantity: number | undefined;
  /** Cents per unit that the buyer has seen. */
  readonly expected_price: number | undefined;
  /** The affiliate session. */
  readonly session_id: string | undefined;
  /** What is wrong with these, in their order. */
  readonly faults: readonly ErrorEntry[];
  /** The sections of user, card and shipping address, by their names. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

const SEEN = 'Cents per unit that the buyer has seen: where the price is another by now, nothing is bought.';

/** What a full purchase says of itself. */
export const FULL = z.object({
  deal_id: text('id'),
  quantity: units(),
  expected_price_per_unit: optional(seenPrice()).describe(SEEN),
  session_id: optional(text('line')).describe('The affiliate session.'),
});

/** With a stored card the price guard is required (ruling D5). */
export const STORED_CARD = FULL.extend({ expected_price_per_unit: seenPrice().describe(SEEN) });

/** Sections that only a full purchase has. */
const SECTIONS: ReadonlySet<string> = new Set(['user', 'credit_card', 'shipping_address']);

/** Reads what is said of the purchase itself; whatever is well said is there, whatever is wrong with the rest. */
export function readOrder(kind: OrderKind, parameters: Readonly<Record<string, unknown>>): Order {
  const schema = kind === 'full' ? FULL : STORED_CARD;
  const parsed = schema.safeParse(parameters);
  const said = <T>(part: z.ZodType<T>, name: string): T | undefined => part.safeParse(parameters[name]).data;
  const sections = Object.entries(parameters).filter(([name]) => kind === 'full' || !SECTIONS.has(name));
  return {
    kind,
    deal_id: said(schema.shape.deal_id, 'deal_id'),
    quantity: said(schema.shape.quantity, 'quantity'),
    expected_price: said(schema.shape.expected_price_per_unit, 'expected_price_per_unit'),
    session_id: said(schema.shape.session_id, 'session_id'),
    faults: parsed.success ? [] : faultsOf(parsed.error, parameters, 'purchase'),
    parameters: Object.fromEntries(sections),
  };
}
