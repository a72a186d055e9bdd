import { z } from 'zod';
import {
  boolean,
  faultsOf,
  instant,
  integer,
  missing,
  OF_USER,
  optional,
  read,
  text,
  unlessNumber,
  ValidationFailed,
  words,
  type ErrorEntry,
} from '#http';
import { DAY, type Instant } from '#kernel';
import { LONGEST_TIME } from '#kernel/bounds';
import type { Transaction } from './redeem-link.commands.js';

/** The parameters of POST /card_links. */
export const LINK = z.object({
  ...OF_USER.shape,
  deal_id: optional(text('id')).describe('One deal; or send deal_ids.'),
  deal_ids: optional(words('deals', text('id'))).describe(
    'Several deals, as a list or with commas between them: the user is linked to all of them, or to none.',
  ),
});

/** What POST /card_links asks for. */
export interface LinkRequest {
  readonly userId: string;
  readonly dealIds: readonly string[];
  /** Whether it was sent as `deal_ids`: then the answer is a list too. */
  readonly isList: boolean;
}

/** Reads the parameters of POST /card_links. @throws ValidationFailed with every fault, in the order of the interface */
export function readLink(parameters: Readonly<Record<string, unknown>>): LinkRequest {
  const parsed = LINK.safeParse(parameters);
  const faults = parsed.success ? [] : faultsOf(parsed.error, parameters, 'card_link');
  const [one, several] = [isGiven(parameters['deal_id']), isGiven(parameters['deal_ids'])];
  if (!one && !several) faults.push(missing('deal_id', 'card_link'));
  if (one && several) faults.push(invalid('deal_ids', 'must be absent if deal_id is sent'));
  if (!parsed.success || faults.length > 0) throw new ValidationFailed(faults);
  const { user_id, deal_id, deal_ids } = parsed.data;
  return { userId: user_id, dealIds: several ? (deal_ids ?? []) : [deal_id ?? ''], isList: several };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
}

const DATE_TIME = 'must be a time such as 2027-01-31T12:00:00-05:00';
const NO_DATE_TIME = unlessNumber(DATE_TIME);

/** The parameters of PUT /card_links/:card_link_id/redeem. */
export const REDEEM = z.object({
  transaction_amount: integer('cents').describe('Cents.'),
  transaction_date: z
    .string({ error: NO_DATE_TIME })
    .max(LONGEST_TIME, { error: NO_DATE_TIME, abort: true })
    .regex(/T\d\d:\d\d:\d\d/, { error: NO_DATE_TIME, abort: true })
    .describe('`YYYY-MM-DDThh:mm:ss`, with or without an offset; UTC without one. At most one day ahead.')
    .transform((input, context) => {
      const read = instant().safeParse(input);
      if (read.success) return read.data;
      context.addIssue({ code: 'custom', message: DATE_TIME });
      return z.NEVER;
    }),
  transaction_reference: text('line').describe('Your own name of the transaction, unique in the link.'),
  max_redemption: optional(boolean()).describe('Whether this redemption fulfils the link; false if absent.'),
});

/** Reads a transaction (interface 4.13, ruling H1). @throws ValidationFailed */
export function readTransaction(parameters: unknown, now: Instant): Transaction {
  const { max_redemption, ...transaction } = read(REDEEM, parameters, 'card_link');
  if (transaction.transaction_date > now + DAY) {
    throw new ValidationFailed([invalid('transaction_date', 'must be at most one day ahead')]);
  }
  return { ...transaction, max_redemption: max_redemption ?? false };
}

function invalid(field: string, message: string): ErrorEntry {
  return { type: 'invalid', message, field, resource: 'card_link' };
}
