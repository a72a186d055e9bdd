import { TEXTS } from '#kernel/bounds';
import type { Call } from './call.js';
import { shownOnce } from './shown-once.js';
import { choice, id, orNone, required, several, text } from './values.js';

/** A key of a partner, as the list shows it. */
interface ListedKey {
  readonly revoked: boolean;
}

/** A partner, as the list shows it. */
interface ListedPartner {
  readonly id: string;
  readonly slug: string;
  readonly keys: readonly ListedKey[];
}

const ofPartner = { id: id('the id of a partner', 'partner') };
const storefront_url = orNone(
  text('where the mails of the partner link to: an https address with {deal_id}; `none` removes it', TEXTS.link.most),
);
const SCOPES = ['all', 'user', 'credit_card', 'purchase', 'coupon', 'card_link', 'saved_deal', 'subscription', 'deal'];

/** Partners and their credentials. */
export const PARTNERS: readonly Call[] = [
  {
    noun: 'partners',
    verb: 'list',
    kind: 'page',
    route: 'GET /operators/partners',
    words: 'lists partners',
    example: 'partners list',
    key: 'partners',
    columns: [
      'id',
      'slug',
      'name',
      'suspended',
      'storefront_url',
      { name: 'keys', cell: ({ keys }: ListedPartner) => keys.filter(({ revoked }) => !revoked).length },
    ],
  },
  {
    noun: 'partners',
    verb: 'create',
    kind: 'one',
    route: 'POST /operators/partners',
    words: 'creates a partner, and shows its key and password once',
    example: 'partners create --name Acme --slug acme',
    options: {
      name: required(text('the name of the partner')),
      slug: required(text('a word for it, such as acme', TEXTS.id.most)),
      storefront_url,
    },
    show: shownOnce,
  },
  {
    noun: 'partners',
    verb: 'change',
    kind: 'one',
    route: 'PUT /operators/partners/:id',
    words: 'changes where the mails of a partner link to',
    example: 'partners change 5f2b --storefront-url https://shop.example/offers/{deal_id}',
    arguments: ofPartner,
    options: { storefront_url: required(storefront_url) },
  },
  {
    noun: 'partners',
    verb: 'suspend',
    kind: 'one',
    route: 'PUT /operators/partners/:id',
    words: 'pauses all credentials of a partner, its users’ access tokens and its mails',
    example: 'partners suspend 5f2b',
    arguments: ofPartner,
    fixed: { suspended: true },
  },
  {
    noun: 'partners',
    verb: 'resume',
    kind: 'one',
    route: 'PUT /operators/partners/:id',
    words: 'ends the suspension of a partner',
    example: 'partners resume 5f2b',
    arguments: ofPartner,
    fixed: { suspended: false },
  },
  {
    noun: 'partners',
    verb: 'password',
    kind: 'one',
    route: 'POST /operators/partners/:id/password',
    words: 'replaces the v3 password of a partner, and shows the new one once',
    example: 'partners password 5f2b',
    arguments: ofPartner,
    show: shownOnce,
  },
  {
    noun: 'keys',
    verb: 'list',
    kind: 'page',
    route: 'GET /operators/partners',
    words: 'lists the keys of partners, without their secrets; a page has the keys of so many partners',
    example: 'keys list',
    key: 'partners',
    columns: ['partner', 'partner_id', 'key_id', 'name', 'scope', 'access', 'created_at', 'last_used_on', 'revoked'],
    rows: (partners: readonly ListedPartner[]) =>
      partners.flatMap(({ id: partner_id, slug, keys }) => keys.map((key) => ({ partner: slug, partner_id, ...key }))),
  },
  {
    noun: 'keys',
    verb: 'issue',
    kind: 'one',
    route: 'POST /operators/partners/:id/keys',
    words: 'issues a key of a partner, and shows it once; with a scope and an access it is restricted',
    example: 'keys issue 5f2b --name till --scope coupon --access read,write',
    arguments: ofPartner,
    options: {
      name: text('what the key is for, such as till', TEXTS.label.most),
      scope: several(choice('the resources that a restricted key is for', ...SCOPES, 'region')),
      access: several(choice('what it may do with them: read is GET, write the rest', 'read', 'write')),
    },
    show: shownOnce,
  },
  {
    noun: 'keys',
    verb: 'revoke',
    kind: 'one',
    route: 'DELETE /operators/partners/:id/keys/:key_id',
    words: 'revokes a key of a partner',
    example: 'keys revoke 5f2b 91c0',
    arguments: { ...ofPartner, key_id: id('the id of a key', 'key') },
  },
];
