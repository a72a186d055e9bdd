import type { z } from 'zod';
import { dealListingView, regionsView } from '#catalogue/model';
import { digits, integer, oneOfWords, text } from '#http';
import { partnerIdFrom } from '#partners';
import { partnersView } from '#partners/model';
import { usersView } from '#people/model';
import type { Filter } from './list.js';

/** The form of the ids that the service makes. */
export const MADE_ID = /^[0-9a-f]{32,}$/;

/** Rows of a partner, who is named by id or slug. */
export const ofPartner = <Row extends object>(): Filter<Row, 'partner_id', string> => ({
  schema: text('id').describe('The id or the slug of a partner.'),
  field: 'partner_id',
  values: (named, keyring) => [MADE_ID.test(named) ? named : partnerIdFrom(keyring, named)],
  known: { view: partnersView, otherwise: 'no partner has this id or slug: GET /operators/partners lists them' },
});

/** Rows whose field is this id. */
export const ofId = <Row extends object, F extends string>(field: F, words: string): Filter<Row, F, string> => ({
  schema: text('id').describe(words),
  field,
});

/** Rows of a deal. */
export const ofDeal = <Row extends object>(): Filter<Row, 'deal_id', string> => ({
  ...ofId('deal_id', 'The slug of a deal.'),
  known: { view: dealListingView, otherwise: 'no deal has this id: GET /operators/deals lists them' },
});

/** Rows of a user. */
export const ofUser = <Row extends object>(): Filter<Row, 'user_id', string> => ({
  ...ofId('user_id', 'The id of a user.'),
  known: { view: usersView, otherwise: 'no user has this id' },
});

/** Rows of a region. */
export const ofRegion = <Row extends object>(): Filter<Row, 'region_id', string> => ({
  ...ofId('region_id', 'The slug of a region.'),
  known: { view: regionsView, otherwise: 'no region has this id: GET /operators/regions lists them' },
});

/** Rows whose field is one of a few words. */
export const ofWord = <Row extends object, F extends string, Word extends string>(
  field: F,
  words: readonly Word[],
): Filter<Row, F, Word> => ({ schema: oneOfWords(words), field });

/** Rows whose field is this text. @param held the form of such a text, if people hold one in their hand */
export const ofText = <Row extends object, F extends string>(
  field: F,
  schema: z.ZodType<string>,
  held: RegExp,
): Filter<Row, F, string> => ({ schema, field, held });

/** The last four digits of a card. */
export const lastFour = <Row extends object>(): Filter<Row, 'last4', string> => ({
  schema: digits(4, LAST_FOUR, 'must be the last four digits of a card').describe('The last four digits of a card.'),
  field: 'last4',
  held: LAST_FOUR,
});
const LAST_FOUR = /^\d{4}$/;

/** Rows with at least, or at most, so many cents. */
export const ofAmount = <Row extends object>(
  of: (row: Row) => number,
  most: 'at least' | 'at most',
): Filter<Row, never, number> => ({
  schema: integer('cents').describe(`Only ${most} so many cents.`),
  fits: (row, cents) => (most === 'at least' ? of(row) >= cents : of(row) <= cents),
});

/** Rows of which something holds, or does not. */
export const isTrue = <Row extends object, F extends string>(
  field: F,
  schema: z.ZodType<boolean>,
): Filter<Row, F, boolean> => ({ schema, field });
