import { TEXTS } from '#kernel/bounds';
import type { Call, Seen } from './call.js';
import { choice, id, text } from './values.js';

/** A call that shows what partners were answered. `thing` is its name in the answer, except in those of version 3. */
const asOf = (noun: string, thing: string, of: string, shapes: readonly string[]): Call => ({
  noun,
  verb: 'as-of',
  kind: 'one',
  route: `GET /auditors/${thing}s/:id`,
  words: `shows what partners were answered about a ${of}: now, at a time, or with a value of Holdfast-As-Of (with --json: the whole answer)`,
  example: `${noun} as-of ${noun === 'deals' ? 'tram-28' : '01a2'} --as-of 2026-11-24T12:00:00Z`,
  arguments: { id: id(`the id of a ${of}`, of.replace(' ', '-')) },
  options: {
    as_of: { ...text('a value of Holdfast-As-Of, or a time (now)', TEXTS.line.most), as: 'as-of' },
    ...(shapes.length > 1 && { shape: choice(`the shape of the answer (${shapes[0] ?? ''})`, ...shapes) }),
    ...(noun === 'deals' && { fields: text('with shape v3: the fields that the answer had', TEXTS.line.most) }),
  },
  show: (answer: Thing & Readonly<Record<string, Thing>>) => seenThen(answer[thing] ?? answer),
});

/** What an answer shows; a purchase has coupons, and a coupon a picture. */
interface Thing {
  readonly coupons?: readonly object[];
  readonly qr_code?: string;
}

function seenThen({ coupons = [], qr_code: _picture, ...fields }: Thing): Seen {
  return coupons.length === 0
    ? { fields }
    : { fields, columns: ['id', 'state', 'barcode', 'expires_at'], rows: coupons };
}

/** What partners were answered, for auditors (ruling G7). */
export const AS_OF: readonly Call[] = [
  asOf('purchases', 'purchase', 'purchase', ['v1', 'reseller']),
  asOf('coupons', 'coupon', 'coupon', ['v1', 'reseller']),
  asOf('deals', 'deal', 'deal', ['v1', 'v3']),
  asOf('users', 'user', 'user', ['v1']),
  asOf('card-links', 'card_link', 'card link', ['v1']),
];
