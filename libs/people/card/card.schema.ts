import { z } from 'zod';
import { digits, faultsOf, isSection, text, ValidationFailed, type ErrorEntry } from '#http';
import type { Instant } from '#kernel';

const HOUR = 3_600_000;

/** The details of a card that the service stores, in the vault alone (ruling D9). */
export interface CardDetails {
  /** Digits only. */
  readonly number: string;
  /** 01 to 12. */
  readonly month: string;
  /** Four digits. */
  readonly year: string;
  readonly zip_code: string;
}

/** The number that the interface's samples show: one digit short, and accepted whatever its date (ruling D8). */
const SAMPLE = '424242424242424';

const NO_NUMBER = 'must be a card number';
const NO_MONTH = 'must be a month, 01 to 12';
const NO_YEAR = 'must be a year of four digits';
const NO_VERIFICATION_VALUE = 'must have 3 or 4 digits';

/** Characters, with the blanks and hyphens that people type between the groups. */
const LONGEST_NUMBER = 40;
const number = z.preprocess(
  (input) => (typeof input === 'string' && input.length <= LONGEST_NUMBER ? input.replace(/[ -]/g, '') : input),
  digits(19, /^\d{13,19}$/, NO_NUMBER).refine((input) => input === SAMPLE || passesLuhn(input), { error: NO_NUMBER }),
);
const month = digits(2, /^(0?[1-9]|1[0-2])$/, NO_MONTH).transform((input) => input.padStart(2, '0'));
const year = digits(4, /^\d{4}$/, NO_YEAR);

/** A card as a caller sends it (interface 4.10). Each part has a bound: all of it goes to the payment gateway (ruling D7). */
export const CARD = z.object({
  number,
  verification_value: digits(4, /^\d{3,4}$/, NO_VERIFICATION_VALUE),
  month,
  year,
  zip_code: text('zip'),
});
const EXPIRY = z.object({ month, year });
const ORDER = ['number', 'verification_value', 'month', 'year', 'zip_code'];

/**
 * Reads a card as a caller sends it (interface 4.6.1, 4.10, ruling D9). Returns the verification value apart from the
 * details, because nothing may store it.
 * @throws ValidationFailed with every fault, in the order number, verification_value, month, year, zip_code
 */
export function readCard(input: unknown, now: Instant): { details: CardDetails; verification_value: string } {
  if (!isSection(input)) {
    throw new ValidationFailed([invalid('must be an object', 'credit_card')]);
  }
  const parsed = CARD.safeParse(input);
  const faults = parsed.success ? [] : faultsOf(parsed.error, input, 'credit_card');
  const all = [...faults, ...pastOf(input, now)];
  if (!parsed.success || all.length > 0) {
    throw new ValidationFailed(all.sort((a, b) => ORDER.indexOf(a.field ?? '') - ORDER.indexOf(b.field ?? '')));
  }
  const { verification_value, ...details } = parsed.data;
  return { details, verification_value };
}

/** A card is valid until its month has ended everywhere on earth; UTC-12 is last. */
function pastOf(input: object, now: Instant): ErrorEntry[] {
  const expiry = EXPIRY.safeParse(input);
  const sample = number.safeParse('number' in input ? input.number : undefined).data === SAMPLE;
  if (!expiry.success || sample) return [];
  const last = new Date(now - 12 * HOUR).toISOString().slice(0, 7);
  if (`${expiry.data.year}-${expiry.data.month}` >= last) return [];
  return [invalid('is past', expiry.data.year === last.slice(0, 4) ? 'month' : 'year')];
}

function invalid(message: string, field: string): ErrorEntry {
  return { type: 'invalid', message, field, resource: 'credit_card' };
}

/** Checks the check digit of ISO/IEC 7812: doubles every second digit from the right and sums all digits. */
export function passesLuhn(number: string): boolean {
  let sum = 0;
  for (let index = 0; index < number.length; index += 1) {
    const digit = Number(number.at(-1 - index));
    const counted = index % 2 === 0 ? digit : 2 * digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}
