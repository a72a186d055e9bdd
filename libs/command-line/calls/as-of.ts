import { TEXTS } from '#kernel/bounds';
import type { Call } from './call.js';
import { choice, id, text } from './values.js';

/** A call that shows what partners were answered. */
const asOf = (noun: string, resource: string, ofWhat: string, shapes: readonly string[]): Call => ({
  noun,
  verb: 'as-of',
  kind: 'one',
  route: `GET /auditors/${resource}/:id`,
  words: `shows what partners were answered about ${ofWhat}: now, at a time, or with a value of Holdfast-As-Of`,
  example: `${noun} as-of 01a2 --as-of 2026-11-24T12:00:00Z`,
  arguments: { id: id(`the id of ${ofWhat}`, noun) },
  options: {
    as_of: { ...text('a value of Holdfast-As-Of, or a time (now)', TEXTS.line.most), as: 'as-of' },
    ...(shapes.length > 1 && { shape: choice(`the shape of the answer (${shapes[0] ?? ''})`, ...shapes) }),
    ...(noun === 'deals' && { fields: text('with shape v3: the fields that the answer had', TEXTS.line.most) }),
  },
  show: (answer: Readonly<Record<string, unknown>>) => ({ fields: answer }),
});

/** What partners were answered, for auditors (ruling G7). */
export const AS_OF: readonly Call[] = [
  asOf('purchases', 'purchases', 'a purchase', ['v1', 'reseller']),
  asOf('coupons', 'coupons', 'a coupon', ['v1', 'reseller']),
  asOf('deals', 'deals', 'a deal', ['v1', 'v3']),
  asOf('users', 'users', 'a user', ['v1']),
  asOf('card-links', 'card_links', 'a card link', ['v1']),
];
