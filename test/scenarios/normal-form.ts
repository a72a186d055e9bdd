import type { LedgerLine } from '#adapters/sandbox-gateway';
import { causationOf, eventPlace, type Recorded } from '#kernel';
import type { ViewRow } from '../support/data-folder.js';

/** Numbers from here on are instants (September 2020); the tests have no such amounts. */
const FIRST_INSTANT = 1.6e12;
const HOLD = 300_000;

/** What two runs of one use case must have in common. */
export interface EndState {
  readonly streams: Readonly<Record<string, readonly unknown[]>>;
  readonly views: Readonly<Record<string, readonly unknown[]>>;
  /** What the gateway did. */
  readonly ledger: readonly unknown[];
  readonly answer: unknown;
}

/** What a run leaves behind. */
export interface Left {
  readonly events: readonly Recorded[];
  readonly views: ReadonlyMap<string, readonly ViewRow[]>;
  readonly ledger: readonly LedgerLine[];
  readonly answer: unknown;
}

/**
 * Replaces what differs from run to run (ids, barcodes, sealed texts, instants) by names in the order of first appearance, so
 * that equal values stay equal and different ones different. The deadline of a hold is named after its beginning.
 */
class Names {
  readonly #ids = new Map<string, string>();
  readonly #instants = new Map<number, string>();

  constructor(private readonly instantsAlike: boolean) {}

  of(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return value > FIRST_INSTANT ? this.#instant(value) : value;
    if (Array.isArray(value)) return value.map((each) => this.of(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.of(each)]));
  }

  text(value: string): string {
    if (/^A[Q-Za-f][A-Za-z0-9+/]{60,}=*$/.test(value)) return this.#named('sealed', value);
    if (/^iVBOR/.test(value)) return 'a picture';
    if (/^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d? \d\d:\d\d:\d\d UTC \d{4}$/.test(value)) return 'an instant';
    if (/^[A-Za-z0-9_-]{43}$/.test(value)) return 'a secret';
    return value
      .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (id) => this.#named('command', id))
      .replace(/\b[0-9a-f]{32}\b/g, (id) => this.#named('id', id))
      .replace(/\b[0-9a-f]{16}\b/g, 'signature')
      .replace(/\bsandbox-\d+\b/g, 'reference')
      .replace(/\b\d{12}\b/g, (digits) => this.#named('barcode', digits));
  }

  /** The text with a name for each known id and `new` for each other one. */
  known(text: string): string {
    return text.replace(/\b[0-9a-f]{32}\b/g, (id) => this.#ids.get(id) ?? 'new');
  }

  #named(kind: string, value: string): string {
    let name = this.#ids.get(value);
    if (name === undefined) {
      name = `${kind}:${this.#ids.size}`;
      this.#ids.set(value, name);
    }
    return name;
  }

  #instant(value: number): string {
    if (this.instantsAlike) return 'an instant';
    const before = this.#instants.get(value) ?? this.#instants.get(value - HOLD);
    if (before !== undefined) return this.#instants.has(value) ? before : `${before} + 300 s`;
    const name = `instant:${this.#instants.size}`;
    this.#instants.set(value, name);
    return name;
  }
}

/**
 * The end state without what may differ: positions, recorded times, command ids and the values of ids. The streams of decisions
 * get their names first, in the order of the log; the streams of followers share those ids, in whatever order they were written.
 */
export function normalForm({ events, views, ledger, answer }: Left, instantsAlike: boolean): EndState {
  const names = new Names(instantsAlike);
  const anyones = byAnyone(events);
  const place = placesWithout(LOST, events);
  const streams = new Map<string, Recorded[]>();
  // The test itself moves the clock, so that records become free.
  for (const event of events.filter(({ stream, type }) => !stream.startsWith('clock-') && type !== LOST)) {
    const stream = streams.get(event.stream);
    if (stream === undefined) streams.set(event.stream, [event]);
    else stream.push(event);
  }
  const all = [...streams.values()];
  const decisions = all.filter(([first]) => first?.metadata.causation === null);
  const followers = all.filter(([first]) => first?.metadata.causation !== null);
  const normal: Record<string, readonly unknown[]> = {};
  const add = (stream: readonly Recorded[]): void => {
    const [first] = stream;
    if (first === undefined) return;
    const ordered = stream.toSorted((a, b) => returned(a, names).localeCompare(returned(b, names)));
    const events = ordered.map((event) => normalEvent(event, names, anyones, place));
    normal[names.text(first.stream)] = cancelledInOrder(events);
  };
  for (const stream of decisions) add(stream);
  const rank = (stream: readonly Recorded[]): string => names.known(stream[0]?.stream ?? '');
  for (const stream of followers.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))) add(stream);

  const rows = [...views].map(([view, stored]) => {
    const ordered = stored.toSorted((a, b) => (names.known(a.key) < names.known(b.key) ? -1 : 1));
    return [view, ordered.map(({ key, row }) => ({ key: names.text(key), row: names.of(row) }))] as const;
  });
  const done = ledger
    .toSorted((a, b) => names.known(a.key).localeCompare(names.known(b.key)))
    .map((line) => names.of({ ...line, at: undefined }));
  return { streams: normal, views: Object.fromEntries(rows), ledger: done, answer: names.of(answer) };
}

/**
 * The coupon of a returned payment, because its place in the stream depends on when the gateway answers. Empty for any other
 * event.
 */
function returned({ type, data }: Recorded, names: Names): string {
  if (type !== 'purchase-money-returned.v1') return '';
  return names.known((data as { coupon_id: string }).coupon_id);
}

/** What follows when a coupon is cancelled. */
const CANCELLED: ReadonlySet<string> = new Set(['unit-returned.v1', 'purchase-coupon-cancelled.v1']);

/**
 * A refund cancels each coupon by a decision of its own, in any order: after a crash, the repeated call and the work list both
 * do it, and the work list goes by ids. So coupons that were cancelled one directly after another count in the order of their
 * names; what each event says of stock and money stays in its place.
 */
function cancelledInOrder(events: readonly NormalEvent[]): readonly NormalEvent[] {
  const inOrder: NormalEvent[] = [];
  for (let next = 0; next < events.length;) {
    const from = next;
    const type = events[from]?.type ?? '';
    do next += 1;
    while (CANCELLED.has(type) && events[next]?.type === type);
    const run = events.slice(from, next);
    const coupons = run.toSorted((a, b) => couponOf(a).localeCompare(couponOf(b), 'en', { numeric: true }));
    for (const [nth, event] of run.entries()) {
      const coupon = coupons[nth] ?? event;
      inOrder.push({ ...event, causation: coupon.causation, data: { ...event.data, ...idOf(coupon) } });
    }
  }
  return inOrder;
}

const couponOf = ({ data: { coupon_id } }: NormalEvent): string => (typeof coupon_id === 'string' ? coupon_id : '');
/** What an event says of its coupon: the id, and the number of the unit. */
const idOf = ({ data }: NormalEvent): object =>
  Object.fromEntries(Object.entries(data).filter(([name]) => name === 'coupon_id' || name === 'unit'));

/**
 * Events by whoever comes first: an expiry, by the work list or by a decision that needs the units; the gateway's outcome and the
 * rest of a refund, by the call or the work list.
 */
const BY_ANYONE: ReadonlySet<string> = new Set([
  'hold-expired.v1',
  'purchase-charged.v1',
  'purchase-declined.v1',
  'purchase-voided.v1',
  'purchase-money-returned.v1',
  'coupon-cancelled.v1',
]);

/** Nothing records a call to the gateway that a crash cut off. */
const LOST = 'purchase-charge-lost.v1';

/** Numbers `stream@revision` as if there were no events of a type. */
function placesWithout(left: string, events: readonly Recorded[]): (at: string) => string {
  const gone = events.filter(({ type }) => type === left);
  return (at) => {
    const place = eventPlace(at);
    if (place === undefined) return at;
    const { stream, revision } = place;
    const before = gone.filter((event) => event.stream === stream && event.revision < revision).length;
    return causationOf({ stream, revision: revision - before });
  };
}

/** The places of those events, as `stream@revision`. */
function byAnyone(events: readonly Recorded[]): ReadonlySet<string> {
  return new Set(
    events.filter(({ type }) => BY_ANYONE.has(type)).map(({ stream, revision }) => `${stream}@${revision}`),
  );
}

interface NormalEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly causation: string | null;
  readonly actor: string;
}

function normalEvent(
  { type, data, metadata, stream, revision }: Recorded,
  names: Names,
  anyones: ReadonlySet<string>,
  place: (cause: string) => string,
): NormalEvent {
  // Whether a decision continues from an event in its own stream depends on where the first attempt was cut off.
  const own = metadata.causation?.startsWith(`${stream}@`) === true;
  const cause = own ? null : metadata.causation;
  const causation = cause === null ? null : names.text(place(cause));
  const decision = cause ?? `${stream}@${revision}`;
  const actor = anyones.has(decision) || type.endsWith('-expired.v1') ? 'anyone' : metadata.actor;
  const { lost_attempts: _, ...compared } = data as { readonly lost_attempts?: unknown };
  return { type, data: names.of(compared) as NormalEvent['data'], causation, actor };
}
