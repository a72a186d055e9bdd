import type { ComponentChildren } from 'preact';
import { count, money } from './format.js';
import { Id, State, When } from './ui/parts.js';
import type { Column } from './ui/table.js';

/** A row of any list: the fields of the service’s answer. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** A filter: the service applies it. */
export interface ListFilter {
  readonly name: string;
  readonly label: string;
  readonly options?: readonly string[];
  readonly day?: true;
  /** Set if its value may be a person’s: then it stands in no address. */
  readonly personal?: true;
}

/** A list of one kind of thing. */
export interface List {
  /** Its path on the console, below `/`. */
  readonly path: string;
  /** Its path behind `/operators/`, and the field of the answer. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly filters: readonly ListFilter[];
  readonly columns: readonly Column<Row>[];
  /** What to do if there is nothing at all. */
  readonly empty: string;
  /** The noun of its command. */
  readonly noun: string;
}

const text = (row: Row, name: string): string => String(row[name] ?? '');

const id = (name: string, of: string, base?: string, wide?: true): Column<Row> => ({
  name,
  ...(wide && { wide }),
  cell: (row) =>
    row[of] === null ? (
      <span class="soft">–</span>
    ) : (
      <Id of={text(row, of)} {...(base !== undefined && { to: `${base}${encodeURIComponent(text(row, of))}` })} />
    ),
});
const state = (name: string, of: string): Column<Row> => ({ name, cell: (row) => <State of={text(row, of)} /> });
const when = (name: string, of: string, wide?: true): Column<Row> => ({
  name,
  ...(wide && { wide }),
  cell: (row) => <When at={row[of] as string | null} />,
});
const plain = (name: string, of: string, wide?: true): Column<Row> => ({
  name,
  ...(wide && { wide }),
  cell: (row): ComponentChildren => (row[of] === null ? <span class="soft">–</span> : text(row, of)),
});
const number = (name: string, of: string, wide?: true): Column<Row> => ({
  name,
  number: true,
  ...(wide && { wide }),
  cell: (row): ComponentChildren => (row[of] === null ? <span class="soft">unlimited</span> : count(Number(row[of]))),
});
const amount = (name: string, of: string): Column<Row> => ({
  name,
  number: true,
  cell: (row): ComponentChildren => (row[of] === null ? <span class="soft">–</span> : money(Number(row[of]))),
});

const PARTNER: ListFilter = { name: 'partner', label: 'Partner' };
const DEAL: ListFilter = { name: 'deal_id', label: 'Deal' };
const USER: ListFilter = { name: 'user_id', label: 'User' };
const DAY: ListFilter = { name: 'day', label: 'Day (UTC)', day: true };
const yesOrNo = (name: string, label: string): ListFilter => ({ name, label, options: ['true', 'false'] });

const deal = id('Deal', 'deal_id', '/deals/');
const user = id('User', 'user_id', '/users/', true);
const partner = id('Partner', 'partner_id', '/partners/', true);
const created = when('Made', 'created_at');
/** The same in a list that is full without it. */
const createdIfWide = when('Made', 'created_at', true);

/** Every list of the console, as the service has it. */
export const LISTS: readonly List[] = [
  {
    path: 'deals',
    name: 'deals',
    noun: 'deals',
    title: 'Deals',
    about: 'Those that end last first.',
    empty: 'A deal comes with an import, or with `holdfast deals set`.',
    filters: [
      {
        name: 'state',
        label: 'State',
        options: [
          'submitted',
          'in-review',
          'rejected',
          'approved',
          'in-flight',
          'paused',
          'landed',
          'cancelled',
          'deleted',
        ],
      },
      { name: 'type', label: 'Type', options: ['daily-deal', 'on-going', 'card-linked'] },
      { name: 'title', label: 'Title' },
      { name: 'region_id', label: 'Region' },
      { name: 'merchant_id', label: 'Merchant' },
    ],
    columns: [
      {
        name: 'Deal',
        cell: (row) => <a href={`/console/deals/${encodeURIComponent(text(row, 'id'))}`}>{text(row, 'title')}</a>,
      },
      state('State', 'state'),
      amount('Price', 'current_price'),
      number('Stock', 'stock', true),
      number('Held', 'held', true),
      number('Sold', 'sold'),
      when('Ends', 'end_at', true),
    ],
  },
  {
    path: 'purchases',
    name: 'purchases',
    noun: 'purchases',
    title: 'Purchases',
    about: 'Purchases and holds of all partners, newest first.',
    empty: 'Partners sell over the interface: the reference shows how.',
    filters: [
      {
        name: 'state',
        label: 'State',
        options: ['reserved', 'released', 'pending', 'fulfilled', 'declined', 'refunded'],
      },
      DEAL,
      PARTNER,
      USER,
      { name: 'last4', label: 'Last four of the card', personal: true },
      { name: 'reference', label: 'Reference', personal: true },
      { name: 'min_amount', label: 'At least, in cents' },
      DAY,
    ],
    columns: [
      id('Purchase', 'id', '/purchases/'),
      state('State', 'state'),
      deal,
      number('Units', 'number_bought', true),
      amount('Amount', 'amount'),
      user,
      createdIfWide,
    ],
  },
  {
    path: 'reservations',
    name: 'reservations',
    noun: 'reservations',
    title: 'Open holds',
    about: 'Units that are reserved for five minutes, newest first.',
    empty: 'Nobody holds a unit at this moment.',
    filters: [DEAL, PARTNER, DAY],
    columns: [
      id('Hold', 'id', '/purchases/'),
      deal,
      number('Units', 'number_bought'),
      amount('Amount', 'amount'),
      partner,
      created,
      when('Until', 'deadline'),
    ],
  },
  {
    path: 'coupons',
    name: 'coupons',
    noun: 'coupons',
    title: 'Coupons',
    about: 'One for each unit that was sold, newest first.',
    empty: 'A coupon comes with each unit that is sold.',
    filters: [
      { name: 'state', label: 'State', options: ['valid', 'expired', 'redeemed', 'cancelled', 'reissued'] },
      DEAL,
      PARTNER,
      USER,
      { name: 'barcode', label: 'Barcode', personal: true },
      DAY,
    ],
    columns: [
      id('Coupon', 'id', '/coupons/'),
      state('State', 'state'),
      deal,
      plain('Barcode', 'barcode', true),
      id('Purchase', 'purchase_id', '/purchases/', true),
      createdIfWide,
      when('Expires', 'expires_at', true),
    ],
  },
  {
    path: 'users',
    name: 'users',
    noun: 'users',
    title: 'Users',
    about: 'Without personal data, newest first. To find somebody by their e-mail address, use the search.',
    empty: 'Partners register users over the interface.',
    filters: [PARTNER, yesOrNo('deleted', 'Hidden'), DAY],
    columns: [id('User', 'id', '/users/'), plain('Name', 'name'), plain('E-mail', 'email'), partner, created],
  },
  {
    path: 'batches',
    name: 'batches',
    noun: 'batches',
    title: 'Batches of mails',
    about: 'Newest first.',
    empty: 'Partners make batches over the interface.',
    filters: [
      { name: 'status', label: 'State', options: ['pending', 'processed', 'failed', 'cancelled'] },
      DEAL,
      PARTNER,
      DAY,
    ],
    columns: [
      id('Batch', 'id', '/batches/'),
      state('State', 'status'),
      deal,
      number('Recipients', 'recipients'),
      partner,
      when('Sent at', 'send_at'),
      when('Made', 'created_at', true),
    ],
  },
  {
    path: 'regions',
    name: 'regions',
    noun: 'regions',
    title: 'Regions',
    about: 'By name.',
    empty: 'A region comes with an import, or with `holdfast regions set`.',
    filters: [yesOrNo('active', 'Active')],
    columns: [
      id('Region', 'id', '/streams/region-'),
      plain('Name', 'name'),
      plain('Time zone', 'time_zone'),
      plain('Active', 'active'),
    ],
  },
  {
    path: 'cards',
    name: 'credit_cards',
    noun: 'cards',
    title: 'Cards',
    about: 'Stored cards, newest first. Their numbers are in no list.',
    empty: 'Users store cards over the interface.',
    filters: [USER, { name: 'last4', label: 'Last four digits', personal: true }, yesOrNo('deleted', 'Deleted'), DAY],
    columns: [
      id('User', 'user_id', '/users/'),
      plain('Last four', 'last4'),
      plain('Type', 'type'),
      plain('Deleted', 'deleted', true),
      partner,
      created,
    ],
  },
  {
    path: 'card-links',
    name: 'card_links',
    noun: 'card-links',
    title: 'Card links',
    about: 'Links of cards to deals, newest first.',
    empty: 'Users link cards to offers over the interface.',
    filters: [
      { name: 'state', label: 'State', options: ['linked', 'unlinked', 'fulfilled'] },
      DEAL,
      USER,
      PARTNER,
      DAY,
    ],
    columns: [id('Link', 'id', '/streams/cardLink-'), state('State', 'state'), deal, user, partner, created],
  },
  {
    path: 'subscriptions',
    name: 'subscriptions',
    noun: 'subscriptions',
    title: 'Subscriptions',
    about: 'To the mails of regions, newest first.',
    empty: 'Users subscribe over the interface.',
    filters: [
      { name: 'status', label: 'State', options: ['active', 'inactive'] },
      { name: 'region_id', label: 'Region' },
      USER,
      PARTNER,
      DAY,
    ],
    columns: [
      id('Subscription', 'id', '/streams/subscription-'),
      state('State', 'status'),
      plain('Region', 'region_id'),
      plain('Confirmed', 'confirmed', true),
      user,
      created,
    ],
  },
  {
    path: 'saved-deals',
    name: 'saved_deals',
    noun: 'saved-deals',
    title: 'Saved deals',
    about: 'Newest first.',
    empty: 'Users save deals over the interface.',
    filters: [DEAL, USER, DAY],
    columns: [id('Saved deal', 'id', '/streams/savedDeal-'), deal, user, created],
  },
  {
    path: 'access-tokens',
    name: 'access_tokens',
    noun: 'access-tokens',
    title: 'Access tokens',
    about: 'Of users, without their secrets, newest first.',
    empty: 'Partners issue access tokens to their users.',
    filters: [PARTNER, USER, DAY],
    columns: [
      id('Token', 'id', '/streams/accessToken-'),
      user,
      plain('Scope', 'scope'),
      plain('Access', 'access'),
      plain('Ended', 'ended', true),
      created,
      when('Expires', 'expires_at'),
    ],
  },
];
