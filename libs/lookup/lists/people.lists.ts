import { z } from 'zod';
import { boolean, MOMENT } from '#http';
import { isoTime } from '#kernel';
import { openProfile } from '#people';
import { accessTokensView, cardsView, usersView, type AccessTokenRow, type CardRow, type UserRow } from '#people/model';
import { isTrue, lastFour, ofId, ofPartner, ofUser } from '../list/filters.js';
import { defineList, NEWEST_FIRST } from '../list/list.js';
import { maskedEmail, maskedName } from './masked.js';

/** A user in a list: lists show no person. */
const USER_LISTED = z
  .strictObject({
    id: z.string(),
    partner_id: z.string(),
    name: z
      .string()
      .nullable()
      .describe('The first letters of their names, such as `G. H.`; null if nobody knows them.'),
    email: z.string().nullable().describe('The first letter and the domain, such as `g…@example.com`.'),
    deleted: z.boolean().describe('Whether the user is hidden.'),
    created_at: MOMENT,
  })
  .meta({ id: 'OperatedUser', description: 'A user, as lists of operators show them: without personal data.' });

/** Users. */
export const USERS = defineList({
  name: 'users',
  kind: 'user',
  page: ({ id }) => `/operators/users/${id}`,
  lists: 'users',
  view: usersView,
  ...NEWEST_FIRST,
  filters: {
    partner: ofPartner<UserRow>(),
    deleted: {
      schema: boolean().describe('Only users who are hidden, or who are not.'),
      fits: (row, wanted) => row.deleted === wanted,
    },
  },
  item: USER_LISTED,
  async present(row, { personalData }) {
    const profile = await openProfile(personalData, row);
    return {
      id: row.user_id,
      partner_id: row.partner_id,
      name: maskedName(profile),
      email: maskedEmail(profile),
      deleted: row.deleted,
      created_at: isoTime(row.created_at),
    };
  },
});

/** A card in a list. */
const CARD_LISTED = z
  .strictObject({
    id: z.string(),
    user_id: z.string(),
    partner_id: z.string(),
    last4: z.string().describe('The last four digits of its number.'),
    type: z.string(),
    primary: z.boolean().describe('Whether it is the default.'),
    deleted: z.boolean(),
    created_at: MOMENT,
  })
  .meta({ id: 'OperatedCard', description: 'A stored card, as lists of operators show it.' });

/** Stored cards. */
export const CARDS = defineList({
  name: 'credit_cards',
  kind: 'credit_card',
  page: ({ user_id }) => `/operators/users/${user_id}`,
  lists: 'stored cards',
  view: cardsView,
  ...NEWEST_FIRST,
  filters: {
    user_id: ofUser(),
    last4: lastFour(),
    deleted: isTrue<CardRow, 'deleted'>('deleted', boolean().describe('Only cards that are deleted, or that are not.')),
  },
  item: CARD_LISTED,
  present: (row) => ({
    id: row.card_id,
    user_id: row.user_id,
    partner_id: row.partner_id,
    last4: row.last4,
    type: row.brand,
    primary: row.primary,
    deleted: row.deleted,
    created_at: isoTime(row.created_at),
  }),
});

/** A user's access token in a list. */
const TOKEN_LISTED = z
  .strictObject({
    id: z.string().describe('It opens nothing.'),
    user_id: z.string(),
    partner_id: z.string(),
    key_id: z.string().describe('The partner’s key that issued it.'),
    scope: z.string(),
    access: z.string(),
    ended: z.boolean().describe('Whether the partner has ended it.'),
    created_at: MOMENT,
    expires_at: MOMENT,
  })
  .meta({ id: 'OperatedAccessToken', description: 'An access token of a user, without its secret.' });

/** Access tokens of users. */
export const ACCESS_TOKENS = defineList({
  name: 'access_tokens',
  kind: 'access_token',
  lists: 'access tokens of users',
  view: accessTokensView,
  ...NEWEST_FIRST,
  filters: {
    user_id: ofUser(),
    partner: ofPartner<AccessTokenRow>(),
    key_id: ofId('key_id', 'The id of the partner’s key that issued them.'),
  },
  item: TOKEN_LISTED,
  present: ({ token_id, user_id, partner_id, key_id, scope, access, ended, created_at, expires_at }) => ({
    id: token_id,
    user_id,
    partner_id,
    key_id,
    scope: scope.join(' '),
    access: access.join(' '),
    ended,
    created_at: isoTime(created_at),
    expires_at: isoTime(expires_at),
  }),
});
