import type { CardBrand } from './card.events.js';

/** The networks' ranges of first digits (ISO/IEC 7812); the first match wins. */
const RANGES: readonly (readonly [CardBrand, RegExp])[] = [
  ['visa', /^4/],
  ['mastercard', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
  ['amex', /^3[47]/],
  ['diners', /^3(0[0-5]|095|[689])/],
  ['jcb', /^35(2[89]|[3-8])/],
  ['unionpay', /^(62|81)/],
  ['discover', /^6(011|4[4-9]|5)/],
  ['maestro', /^(5[06-8]|6[0137])/],
];

/** The network of a card number. */
export function brandOf(number: string): CardBrand {
  return RANGES.find(([, range]) => range.test(number))?.[0] ?? 'unknown';
}
