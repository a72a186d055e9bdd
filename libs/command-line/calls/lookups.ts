import { INTEGERS, TEXTS } from '#kernel/bounds';
import { EXPORT, writeExport } from '../export-person.js';
import type { Call } from './call.js';
import { choice, id, integer, REASON, text } from './values.js';

/** Something that a search has found. */
interface FoundThing {
  readonly kind: string;
  readonly id: string;
  readonly matched: string;
  readonly item: Readonly<Record<string, string | number | boolean | null>>;
}

/** A person, as their page shows them. */
interface Person {
  readonly partner_id: string;
  readonly user: object;
  readonly credit_cards: readonly object[];
}

/** A user who is erased. */
interface ErasedUser {
  readonly user_id: string;
  readonly erased_at: string;
  readonly reason: string;
}

/** A part of a stream in order. */
interface Part {
  readonly next: number | null;
}

const ofUser = { id: id('the id of a user', 'user') };
const PART = {
  from: { ...integer('the revision of the first (0)'), as: 'revision' },
  limit: integer('how many (100)', INTEGERS.perPage),
};

const nextOf = ({ next }: Part): { readonly next?: string } =>
  next === null ? {} : { next: `There are more: go on with --from ${next}.` };

/** What an item says of itself, in one cell. */
const aboutOf = ({ item }: FoundThing): string =>
  [
    'state',
    'status',
    'deal_id',
    'purchase_id',
    'user_id',
    'partner_id',
    'reference',
    'slug',
    'name',
    'title',
    'first',
    'type',
    'actor',
  ]
    .flatMap((name) => (item[name] === undefined || item[name] === null ? [] : [`${name} ${String(item[name])}`]))
    .join(', ');

/** What leads from something that somebody holds to what happened. */
export const LOOKUPS: readonly Call[] = [
  {
    noun: 'find',
    verb: '',
    kind: 'one',
    route: 'POST /operators/find',
    words: 'finds what an id, e-mail address, last four digits, barcode, code, reference, QR address or slug names',
    example: 'find 486503955122',
    arguments: { q: { ...text('what you hold in your hand', TEXTS.scanned.most), as: 'what' } },
    options: { limit: integer('how many (20)', INTEGERS.perPage) },
    show: ({ found }: { readonly found: readonly FoundThing[] }) =>
      found.length === 0
        ? { title: 'Nothing has this id, code or other text.', nothing: true as const }
        : {
            columns: ['kind', 'matched', 'id', { name: 'about', cell: (row: FoundThing) => aboutOf(row) }],
            rows: found,
          },
  },
  {
    noun: 'users',
    verb: 'show',
    kind: 'one',
    route: 'GET /operators/users/:id',
    words: 'shows a user with their personal data (with --json: addresses and all); the log notes who has seen it',
    example: 'users show 01a2',
    arguments: ofUser,
    show: ({ partner_id, user, credit_cards }: Person) => ({
      fields: { ...user, partner: partner_id },
      columns: [
        { name: 'card', cell: (card: { readonly id: string }) => card.id },
        'last4',
        'type',
        'primary',
        'deleted',
      ],
      rows: credit_cards,
    }),
  },
  {
    noun: 'users',
    verb: 'export',
    kind: 'own',
    route: EXPORT,
    words: 'writes everything that is held about a user, as one file; the log notes who has read it',
    example: 'users export 01a2 > grace.json',
    arguments: ofUser,
    options: { format: choice('JSON, or a page for people', 'json', 'html') },
    run: writeExport,
  },
  {
    noun: 'users',
    verb: 'erase',
    kind: 'one',
    route: 'POST /operators/users/:id/erase',
    words: 'erases a user for ever: their data, cards and mails; purchases, counts and money stay',
    example: 'users erase 01a2 --reason "they asked for it"',
    arguments: ofUser,
    options: { reason: REASON },
    show: ({ user_id, erased_at, reason }: ErasedUser) => ({ fields: { user: user_id, erased_at, reason } }),
  },
  {
    noun: 'users',
    verb: 'reads',
    kind: 'one',
    route: 'GET /auditors/users/:id/reads',
    words: 'lists who has read the personal data of a user, and when',
    example: 'users reads 01a2',
    arguments: ofUser,
    options: PART,
    show: (answer: Part & { readonly reads: readonly object[] }) => ({
      columns: ['time', 'reader', 'day', 'shown_by'],
      rows: answer.reads,
      ...nextOf(answer),
    }),
  },
  {
    noun: 'batches',
    verb: 'show',
    kind: 'one',
    route: 'GET /operators/batches/:id',
    words: 'shows a batch of mails, and what has become of each mail',
    example: 'batches show 01a2',
    arguments: { id: id('the id of a batch', 'batch') },
    show: ({ batch, mails }: { readonly batch: object; readonly mails: readonly object[] }) => ({
      fields: batch,
      columns: ['user_id', 'outcome', 'attempts', 'at', 'reason'],
      rows: mails,
    }),
  },
  {
    noun: 'deals',
    verb: 'ledger',
    kind: 'one',
    route: 'GET /auditors/deals/:slug/ledger',
    words: 'lists every change of a deal’s stock, held and sold units, with who caused it and the sums after it',
    example: 'deals ledger tram-28',
    arguments: { slug: id('the id of a deal, such as tram-28', 'deal') },
    options: PART,
    show: (answer: Part & { readonly entries: readonly object[] }) => ({
      columns: ['revision', 'time', 'actor', 'units.stock', 'units.held', 'units.sold', 'words'],
      rows: answer.entries,
      ...nextOf(answer),
    }),
  },
];
