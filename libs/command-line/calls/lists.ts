import { INTEGERS, LONGEST_TIME, TEXTS } from '#kernel/bounds';
import type { Column, ListCall, Value } from './call.js';
import { choice, id, integer, text, yesOrNo } from './values.js';

const PARTNER = id('the id or slug of a partner', 'partner');
const USER = id('the id of a user', 'user');
const DEAL = id('the id of a deal', 'deal');
const LAST_FOUR = text('the last four digits of a card', 4);

/** The times that lists are about. */
const TIMES = {
  day: { ...text('only this day in UTC, such as 2027-01-31', LONGEST_TIME), as: 'day' },
  from: { ...text('nothing before this time, such as 2027-01-31T12:00:00Z', LONGEST_TIME), as: 'time' },
  to: { ...text('nothing after this time', LONGEST_TIME), as: 'time' },
};

/** A list of the service; its parts (`--limit`, `--after`, `--all`) come by themselves. */
const listOf = (
  noun: string,
  key: string,
  columns: readonly Column[],
  options: Readonly<Record<string, Value>>,
  more: Pick<ListCall, 'words' | 'example'>,
): ListCall => ({ noun, verb: 'list', kind: 'list', route: `GET /operators/${key}`, key, columns, options, ...more });

/** Everything that operators and auditors search, kind by kind. */
export const LISTS: readonly ListCall[] = [
  listOf(
    'regions',
    'regions',
    ['id', 'name', 'time_zone', 'active'],
    { active: yesOrNo('only regions whose deals are sold, or are not') },
    { words: 'lists regions by name', example: 'regions list --active true' },
  ),
  listOf(
    'deals',
    'deals',
    ['id', 'state', 'stock', 'held', 'sold', 'codes_left', 'current_price', 'end_at', 'title'],
    {
      merchant_id: id('the id of a merchant', 'merchant'),
      supplier_id: id('the id of a supplier', 'supplier'),
      region_id: id('the id of a region', 'region'),
      type: text('its type, such as daily-deal'),
      state: text('its state now, such as in-flight'),
      title: text('a part of its title', TEXTS.line.most),
      ...TIMES,
    },
    { words: 'lists deals with their units; times are those of their end', example: 'deals list --state in-flight' },
  ),
  listOf(
    'purchases',
    'purchases',
    ['created_at', 'id', 'state', 'number_bought', 'amount', 'deal_id', 'user_id', 'partner_id', 'last4', 'reference'],
    {
      reference: text('the reference of a reseller’s transaction'),
      user_id: USER,
      last4: LAST_FOUR,
      state: choice('its state', 'reserved', 'released', 'pending', 'fulfilled', 'declined', 'refunded'),
      deal_id: DEAL,
      partner: PARTNER,
      min_amount: integer('at least so many cents', INTEGERS.cents),
      max_amount: integer('at most so many cents', INTEGERS.cents),
      ...TIMES,
    },
    {
      words: 'lists purchases and reservations of all partners, newest first',
      example: 'purchases list --deal-id tram-28 --day 2027-01-31',
    },
  ),
  listOf(
    'reservations',
    'reservations',
    ['created_at', 'id', 'deal_id', 'number_bought', 'amount', 'deadline', 'is_over', 'partner_id'],
    { partner: PARTNER, deal_id: DEAL, ...TIMES },
    { words: 'lists open holds, newest first', example: 'reservations list --partner acme' },
  ),
  listOf(
    'coupons',
    'coupons',
    ['created_at', 'id', 'state', 'barcode', 'redemption_code', 'deal_id', 'user_id', 'expires_at', 'redeemed_at'],
    {
      barcode: text('its twelve digits', 30),
      redemption_code: text('a code of the deal’s pool', TEXTS.code.most),
      user_id: USER,
      deal_id: DEAL,
      partner: PARTNER,
      state: choice('its state now', 'valid', 'expired', 'redeemed', 'cancelled', 'reissued'),
      ...TIMES,
    },
    {
      words: 'lists coupons of all partners, newest first',
      example: 'coupons list --deal-id tram-28 --state redeemed',
    },
  ),
  listOf(
    'users',
    'users',
    ['created_at', 'id', 'name', 'email', 'deleted', 'partner_id'],
    { partner: PARTNER, deleted: yesOrNo('only users who are hidden, or are not'), ...TIMES },
    { words: 'lists users without personal data, newest first', example: 'users list --partner acme' },
  ),
  listOf(
    'cards',
    'credit_cards',
    ['created_at', 'id', 'last4', 'type', 'primary', 'deleted', 'user_id', 'partner_id'],
    { user_id: USER, last4: LAST_FOUR, deleted: yesOrNo('only cards that are deleted, or are not'), ...TIMES },
    { words: 'lists stored cards, newest first', example: 'cards list --last4 4242' },
  ),
  listOf(
    'access-tokens',
    'access_tokens',
    ['created_at', 'id', 'user_id', 'scope', 'access', 'ended', 'expires_at', 'key_id'],
    { user_id: USER, partner: PARTNER, key_id: id('the key that issued them', 'key'), ...TIMES },
    { words: 'lists access tokens of users, newest first', example: 'access-tokens list --partner acme' },
  ),
  listOf(
    'card-links',
    'card_links',
    ['created_at', 'id', 'state', 'deal_id', 'user_id', 'partner_id'],
    {
      user_id: USER,
      deal_id: DEAL,
      partner: PARTNER,
      state: choice('its state', 'linked', 'unlinked', 'fulfilled'),
      ...TIMES,
    },
    { words: 'lists links of cards to deals, newest first', example: 'card-links list --deal-id tram-28' },
  ),
  listOf(
    'subscriptions',
    'subscriptions',
    ['created_at', 'id', 'status', 'confirmed', 'region_id', 'user_id', 'partner_id'],
    {
      user_id: USER,
      region_id: id('the id of a region', 'region'),
      partner: PARTNER,
      status: choice('whether the mails go out', 'active', 'inactive'),
      ...TIMES,
    },
    { words: 'lists subscriptions, newest first', example: 'subscriptions list --region-id lisbon' },
  ),
  listOf(
    'saved-deals',
    'saved_deals',
    ['created_at', 'id', 'deal_id', 'user_id'],
    { user_id: USER, deal_id: DEAL, ...TIMES },
    { words: 'lists deals that users have saved, newest first', example: 'saved-deals list --deal-id tram-28' },
  ),
  listOf(
    'batches',
    'batches',
    ['created_at', 'id', 'status', 'recipients', 'send_at', 'deal_id', 'partner_id'],
    {
      user_id: { ...USER, words: 'a user whom they go to' },
      deal_id: DEAL,
      partner: PARTNER,
      status: choice('its state', 'pending', 'processed', 'failed', 'cancelled'),
      ...TIMES,
    },
    { words: 'lists batches of mails, newest first', example: 'batches list --partner acme' },
  ),
  listOf(
    'imports',
    'imports',
    ['created_at', 'id', 'state', 'lines', 'changed', 'refused', 'regions', 'deals', 'partners', 'users', 'actor'],
    { actor: text('the operator, such as operator:ann'), ...TIMES },
    { words: 'lists imports that have changed something, newest first', example: 'imports list --day 2027-01-31' },
  ),
];
