import type { Recorded } from '#kernel';
import type { ViewRow } from '../support/data-folder.js';

/** Numbers from here on are instants (September 2020); the tests use no such amounts. */
const FIRST_INSTANT = 1.6e12;
const HOLD = 300_000;

/** What two runs of one use case must have in common. */
export interface EndState {
  readonly streams: Readonly<Record<string, readonly unknown[]>>;
  readonly views: Readonly<Record<string, readonly unknown[]>>;
  readonly answer: unknown;
}

/**
 * Gives what differs from run to run (ids, barcodes, sealed texts, instants) a name by the order of its first appearance,
 * so that equal things stay equal and different ones different. The deadline of a hold is named by its beginning.
 */
class Names {
  readonly #ids = new Map<string, string>();
  readonly #instants = new Map<number, string>();

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
      .replace(/\b[0-9a-f]{32}\b/g, (id) => this.#named('id', id))
      .replace(/\b[0-9a-f]{16}\b/g, 'signature')
      .replace(/\b\d{12}\b/g, (digits) => this.#named('barcode', digits));
  }

  /** How many of the ids in a text have been seen before, and the text with those named. */
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
    const before = this.#instants.get(value) ?? this.#instants.get(value - HOLD);
    if (before !== undefined) return this.#instants.has(value) ? before : `${before} + 300 s`;
    const name = `instant:${this.#instants.size}`;
    this.#instants.set(value, name);
    return name;
  }
}

/**
 * The end state without what may differ: positions, recorded times, command ids and the values of ids. The streams of decisions are
 * named first, in the order of the log; what follows from them has its ids from them, in whatever order it was written.
 */
export function normalForm(
  events: readonly Recorded[],
  views: ReadonlyMap<string, readonly ViewRow[]>,
  answer: unknown,
): EndState {
  const names = new Names();
  const streams = new Map<string, Recorded[]>();
  // The clock is moved by the test itself, to let records free.
  for (const event of events.filter(({ stream }) => !stream.startsWith('clock-'))) {
    const stream = streams.get(event.stream);
    if (stream === undefined) streams.set(event.stream, [event]);
    else stream.push(event);
  }
  const all = [...streams.values()];
  const decisions = all.filter(([first]) => first?.metadata.causation === null);
  const followers = all.filter(([first]) => first?.metadata.causation !== null);
  const normal: Record<string, unknown[]> = {};
  const add = (stream: readonly Recorded[]): void => {
    const [first] = stream;
    if (first !== undefined) normal[names.text(first.stream)] = stream.map((event) => normalEvent(event, names));
  };
  for (const stream of decisions) add(stream);
  const place = (stream: readonly Recorded[]): string => names.known(stream[0]?.stream ?? '');
  for (const stream of followers.sort((a, b) => (place(a) < place(b) ? -1 : 1))) add(stream);

  const rows = [...views].map(([view, stored]) => {
    const ordered = stored.toSorted((a, b) => (names.known(a.key) < names.known(b.key) ? -1 : 1));
    return [view, ordered.map(({ key, row }) => ({ key: names.text(key), row: names.of(row) }))] as const;
  });
  return { streams: normal, views: Object.fromEntries(rows), answer: names.of(answer) };
}

function normalEvent({ type, data, metadata }: Recorded, names: Names): unknown {
  const causation = metadata.causation === null ? null : names.text(metadata.causation);
  // Whoever comes first records that a deadline has passed: the work list, or a decision that needs the units.
  const actor = type.endsWith('-expired.v1') ? 'anyone' : metadata.actor;
  return { type, data: names.of(data), causation, actor };
}
