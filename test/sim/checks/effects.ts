import type { Recorded } from '#kernel';
import { type Act, isFinal, type Meaning, openTimes } from '../workload/history.js';
import type { Answer } from '../world/installation.js';
import { Violation } from './violation.js';

interface Data {
  readonly reservation_id: string;
  readonly purchase_id: string;
  readonly user_id: string | null;
  readonly coupon_id: string;
  readonly batch_id: string;
  readonly card_link_id: string;
  readonly transaction_reference: string;
  readonly partner_id: string;
  readonly quantity: number;
  readonly units: number;
  readonly stock: number | null;
  readonly deal: { readonly id: string };
}

/** What some acts say that they have done: things with an id, or so many of one sort at most. */
interface Said {
  /** The ids of what answers acknowledged, with the act. */
  readonly ids: Map<string, Act>;
  /** How many more there may be, by sort: those of acts whose outcome nobody knows. */
  readonly open: Map<string, number>;
}

/**
 * Compares what clients were told with the log: what was acknowledged is there, once; what was refused is not; of an act without
 * an answer there is one or none.
 */
export function checkEffects(events: readonly Recorded[], history: readonly Act[]): void {
  const made = (meaning: string, type: string, idOf: (data: Data) => string, sortOf: (data: Data) => string): void =>
    compare(
      meaning,
      events.filter((event) => event.type === type).map(({ data }) => [idOf(data as Data), sortOf(data as Data)]),
      said(history, meaning),
    );
  made(
    'reserve',
    'hold-placed.v1',
    (data) => data.reservation_id,
    ({ deal, quantity }) => `${deal.id} ${quantity}`,
  );
  made(
    'claim',
    'purchase-recorded.v1',
    (data) => data.purchase_id,
    ({ purchase_id, user_id }) => `${purchase_id} ${user_id}`,
  );
  made(
    'buy',
    'checkout-started.v1',
    (data) => data.purchase_id,
    ({ deal, quantity }) => `${deal.id} ${quantity}`,
  );
  made(
    'resell',
    'purchase-resold.v1',
    (data) => data.purchase_id,
    ({ partner_id, transaction_reference }) => `${partner_id}/${transaction_reference}`,
  );
  made(
    'redeem',
    'coupon-redeemed.v1',
    (data) => data.coupon_id,
    (data) => data.coupon_id,
  );
  checkLeft(events, history);
}

/** The event that an acknowledged act of each of these meanings has left, by the id that names it. */
const LEAVES = {
  release: ['hold-released.v1', 'hold-expired.v1'],
  'cancel-coupon': ['coupon-cancelled.v1'],
  reissue: ['coupon-issued.v1'],
  'create-user': ['user-registered.v1'],
  'create-batch': ['batch-created.v1'],
  'cancel-batch': ['batch-cancelled.v1'],
  link: ['card-linked.v1'],
} as const satisfies Partial<Record<Meaning['type'], readonly string[]>>;

/**
 * What was acknowledged of the rest is in the log.
 * @throws Violation
 */
function checkLeft(events: readonly Recorded[], history: readonly Act[]): void {
  const there = new Set<string>();
  for (const { type, data } of events) for (const id of idsOf(data)) there.add(`${type} ${id}`);
  for (const act of history) {
    const leaves: readonly string[] | undefined = (LEAVES as Partial<Record<string, readonly string[]>>)[
      act.meaning.type
    ];
    if (leaves === undefined) continue;
    for (const id of leftBy(act))
      if (!leaves.some((type) => there.has(`${type} ${id}`)))
        throw new Violation(
          'an acknowledged answer is in the log',
          wordsOf(act),
          `${leaves.join(' or ')} of ${id} is not`,
        );
  }
}

/** The ids that may name an event. */
function idsOf(data: Partial<Data>): readonly string[] {
  const { reservation_id, coupon_id, user_id, batch_id, card_link_id } = data;
  return [reservation_id, coupon_id, user_id, batch_id, card_link_id].filter((id) => typeof id === 'string');
}

/** The ids of what an act has left, by its answers. */
function leftBy({ meaning, tries }: Act): readonly string[] {
  return tries.flatMap(({ reply }) => {
    if (reply?.kind !== 'answer' || reply.answer.status >= 300) return [];
    const shown = JSON.parse(reply.answer.text) as Partial<Record<string, { readonly id: string }>> & {
      readonly user_id?: string;
      readonly card_links?: readonly { readonly id: string }[];
    };
    if (meaning.type === 'cancel-coupon') return [meaning.coupon];
    if (meaning.type === 'create-user') return shown.user_id ?? [];
    const links = shown.card_links?.map(({ id }) => id) ?? [];
    return [...links, ...['purchase', 'coupon', 'batch', 'card_link'].flatMap((name) => shown[name]?.id ?? [])];
  });
}

function compare(meaning: string, found: readonly (readonly [id: string, sort: string])[], { ids, open }: Said): void {
  const there = new Set(found.map(([id]) => id));
  if (there.size !== found.length) throw new Violation('an effect is there once', meaning, 'the log has one twice');
  for (const [id, act] of ids)
    if (!there.has(id))
      throw new Violation('an acknowledged answer is in the log', wordsOf(act), `${meaning} ${id} is not`);
  const left = new Map(open);
  for (const [id, sort] of found) {
    if (ids.has(id)) continue;
    const more = left.get(sort) ?? 0;
    if (more === 0)
      throw new Violation(
        'what was refused or never asked has no effect',
        `${meaning} ${id}`,
        `the log has it (${sort}), and no act explains it`,
      );
    left.set(sort, more - 1);
  }
}

function said(history: readonly Act[], meaning: string): Said {
  const result: Said = { ids: new Map(), open: new Map() };
  for (const act of history) {
    if (act.meaning.type !== meaning) continue;
    const sort = sortOf(act);
    const more = openTimes(act);
    if (more > 0) result.open.set(sort, (result.open.get(sort) ?? 0) + more);
    for (const id of acknowledged(act)) {
      const other = result.ids.get(id);
      // A claim and a resale may be repeated under another key: they find what is there.
      if (other !== undefined && ['reserve', 'buy', 'redeem'].includes(meaning) && other !== act)
        throw new Violation(
          'an effect belongs to one act',
          wordsOf(act),
          `${meaning} ${id} belongs to ${wordsOf(other)}`,
        );
      result.ids.set(id, act);
    }
  }
  return result;
}

/** The ids of what an act has made, by its answers. Several only if it was repeated after its key was forgotten. */
function acknowledged({ meaning, tries }: Act): readonly string[] {
  const made = tries.flatMap(({ reply }) =>
    reply?.kind === 'answer' && isFinal(reply.answer) ? (idIn(meaning, reply.answer) ?? []) : [],
  );
  return [...new Set(made)];
}

function idIn(meaning: Meaning, { status, text }: Answer): string | undefined {
  // A decline has opened a purchase too, and names it.
  if (meaning.type === 'buy' && text.includes('"declined"'))
    return (JSON.parse(text) as { readonly purchase_id?: string }).purchase_id;
  if (status >= 300) return undefined;
  const shown = JSON.parse(text) as { readonly id?: string; readonly purchase?: { readonly id: string } };
  if (meaning.type === 'redeem') return meaning.coupon;
  return meaning.type === 'resell' ? shown.id : shown.purchase?.id;
}

function sortOf({ meaning }: Act): string {
  switch (meaning.type) {
    case 'reserve':
    case 'buy':
      return `${meaning.deal} ${meaning.quantity}`;
    case 'claim':
      return `${meaning.purchase} ${meaning.user}`;
    case 'resell':
      return meaning.reference;
    case 'redeem':
      return meaning.coupon;
    default:
      return '';
  }
}

/** An act in words. */
export function wordsOf({ operation, kind, request, tries }: Act): string {
  const replies = tries.map(({ reply }) => (reply?.kind === 'answer' ? reply.answer.status : 'lost'));
  return `operation ${operation ?? 'of the preparation'} (${kind}: ${request.method} ${request.path}, ${replies.join(', ')})`;
}
