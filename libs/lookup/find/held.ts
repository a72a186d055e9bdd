import { eventPlace, type EventPlace } from '#kernel';

/** What somebody holds in their hand, by its form. */
export type Held =
  | { readonly is: 'email'; readonly email: string }
  | { readonly is: 'event'; readonly place: EventPlace }
  | { readonly is: 'card number' }
  | { readonly is: 'address'; readonly url: string }
  | { readonly is: 'text'; readonly text: string };

/** The digits of a whole card number: nobody may send one. */
const CARD_NUMBER = /^\d{13,19}$/;
/** Digits in groups, as a printed page has those of a barcode. */
const GROUPED = /^\d[\d\s-]*\d$/;
/** An event as histories name it, `purchase-<id>@3`. */
const EVENT = /^[A-Za-z]+-.+@\d{1,9}$/;

/** Tells by its form what a text may be; blanks around it do not matter. */
export function heldOf(input: string): Held {
  const text = input.trim();
  if (/^https?:\/\//i.test(text)) return { is: 'address', url: text };
  const place = EVENT.test(text) ? eventPlace(text) : undefined;
  if (place !== undefined) return { is: 'event', place };
  if (text.includes('@')) return { is: 'email', email: text };
  const digits = GROUPED.test(text) ? text.replaceAll(/[\s-]/g, '') : text;
  return CARD_NUMBER.test(digits) ? { is: 'card number' } : { is: 'text', text: digits };
}
