import { eventPlace, type EventPlace } from '#kernel';
import { passesLuhn } from '#people';

/** What a text may be that somebody holds in their hand, by its form. One text may be several things. */
export interface Held {
  /** As it was sent, without blanks around it; and its digits alone, if it is digits in groups, as a page has a barcode's. */
  readonly texts: readonly string[];
  readonly email: string | undefined;
  readonly event: EventPlace | undefined;
  readonly address: string | undefined;
  /** Whether it is a whole card number, which nobody may send. */
  readonly isCardNumber: boolean;
}

/** Digits in groups. */
const GROUPED = /^\d[\d\s-]*\d$/;
/** An event as histories name it, `purchase-<id>@3`. */
const EVENT = /^[A-Za-z]+-.+@\d{1,9}$/;

/** Tells by its form what a text may be. */
export function heldOf(input: string): Held {
  const text = input.trim();
  const digits = GROUPED.test(text) ? text.replaceAll(/[\s-]/g, '') : text;
  const event = EVENT.test(text) ? eventPlace(text) : undefined;
  return {
    texts: [...new Set([text, digits])],
    email: text.includes('@') && event === undefined ? text : undefined,
    event,
    address: /^https?:\/\//i.test(text) ? text : undefined,
    isCardNumber: isCardNumber(text),
  };
}

/** Whether a text without letters has the digits of a card's number, in any writing: the last of them proves the others. */
function isCardNumber(text: string): boolean {
  const plain = text.normalize('NFKC');
  const digits = plain.replaceAll(/\D/g, '');
  return !/\p{L}/u.test(plain) && digits.length >= 13 && digits.length <= 19 && passesLuhn(digits);
}
