import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { type Expected, NO_STREAM, TOMBSTONE, verdictOn } from './commit-check.js';
import { type Entry, Journal, type Proposed } from './journal.js';
import { RememberedIds } from './remembered-ids.js';
import { firstVisible, isSoftDeleted, type Retention, retentionOf, withTruncateBefore } from './retention.js';

export type Stored = Proposed & {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly created: number;
};
/** `actual` is the stream's revision in a conflict: -1 for a missing stream. A repeat of hidden events has no position. */
export type Outcome =
  | { readonly actual: number }
  | { readonly deleted: true }
  | { readonly revision: number; readonly position: number | undefined };

/** A scavenge begins a new chunk of the log. */
const CHUNK = 2 ** 28;

/** The events of the double, as EventStoreDB holds and hides them. Emits `committed`. */
export class Store extends EventEmitter {
  readonly journal: Journal;
  /** How many events were looked at for reads of all and for subscriptions, whoever's they are. */
  examined = 0;
  readonly #remembered = new RememberedIds();
  /** Streams that this node does not know, because it has no event 0 of them. */
  readonly #unknown = new Set<string>();
  /** Streams that have two events 0: no node can read them. */
  readonly #torn = new Set<string>();
  /** How many entries it got as whole chunks. */
  #filled = 0;
  #all: Stored[] = [];
  /** What is left of each stream: always its end. */
  #streams = new Map<string, Stored[]>();
  /** Where the next event will begin. */
  #end = 0;

  /** @param now the time by the server's clock */
  constructor(
    file?: string,
    private readonly now: () => number = Date.now,
  ) {
    super();
    this.setMaxListeners(0);
    this.journal = new Journal(file);
    this.#rebuild();
  }

  /** In the order of the log, without scavenged events. */
  get all(): readonly Stored[] {
    return this.#all;
  }

  /** Where the next event will begin. */
  get end(): number {
    return this.#end;
  }

  /** How many entries it got as whole chunks from another node. */
  get filled(): number {
    return this.#filled;
  }

  /** At most this many visible events of a stream, from a revision on; undefined for a stream that it does not know. */
  read(name: string, from: number, most = Infinity): readonly Stored[] | 'deleted' | 'torn' | undefined {
    if (this.#last(name) === TOMBSTONE) return 'deleted';
    if (this.#torn.has(name)) return 'torn';
    const [events, retention] = [this.#known(name), this.#retention(name)];
    if (events === undefined || isSoftDeleted(retention)) return undefined;
    const first = Math.max(firstVisible(events, retention, this.now()), from - Number(events[0]?.revision));
    return events.slice(first, first + most);
  }

  append(name: string, expected: Expected, events: readonly Proposed[]): Outcome {
    const [last, ids] = [this.#last(name), events.map(({ id }) => id)];
    const softDeleted = isSoftDeleted(this.#retention(name));
    const verdict = verdictOn(this.#written(name), expected, ids);
    if (verdict === 'deleted') return { deleted: true };
    if (verdict === 'conflict') return { actual: last };
    if (verdict !== 'write') {
      const visible = this.read(name, verdict.repeatOf, 1);
      const there = typeof visible === 'object' ? visible[0] : undefined;
      const position = there?.revision === verdict.repeatOf ? there.position : undefined;
      return { revision: verdict.repeatOf, position };
    }
    if (events.length === 0) return { revision: Math.max(0, last), position: undefined };
    const original = name.startsWith('$$') ? name.slice(2) : undefined;
    const undeleted = original !== undefined && isSoftDeleted(this.#retention(original)) ? original : undefined;
    this.#writeTo(name, events);
    const { revision, position } = this.#all.at(-1) as Stored;
    // A soft-deleted stream continues its numbers when it is written to.
    if (softDeleted) this.#truncateBefore(name, last + 1);
    if (undeleted !== undefined) this.#truncateBefore(undeleted, this.#last(undeleted) + 1);
    return { revision, position };
  }

  /** Hides all events of a stream, or ends it for ever. */
  delete(name: string, expected: Expected, how: 'softly' | 'for ever'): Outcome {
    const last = this.#last(name);
    const verdict = verdictOn(this.#written(name), expected, [randomUUID()]);
    if (verdict === 'deleted') return { deleted: true };
    if (verdict !== 'write') return { actual: last };
    if (how === 'for ever') {
      const id = randomUUID();
      const tombstone = { id, type: '$streamDeleted', contentType: 'application/octet-stream', data: '', metadata: '' };
      this.#writeTo(name, [tombstone]);
    } else {
      if (last === NO_STREAM && !this.#written(name).hasMetadata) return { actual: NO_STREAM };
      this.#writeTo(`$$${name}`, [metadataEvent(withTruncateBefore('', TOMBSTONE))]);
    }
    const { revision, position } = this.#all.at(-1) as Stored;
    return { revision, position };
  }

  /** Removes hidden events for good, except for the last event of each stream. */
  scavenge(now = this.now()): void {
    this.#write({ scavenged: now });
  }

  /** Takes over an entry of another node. */
  copy(entry: Entry): void {
    this.#write(entry);
  }

  /**
   * Replaces the whole log, as restoring an older copy of the server's files does.
   * @param filled how many of the entries it gets as whole chunks
   */
  replace(entries: readonly Entry[], filled = 0): void {
    this.journal.replace(entries);
    this.#filled = Math.min(filled, entries.length);
    this.#rebuild();
  }

  /**
   * It was empty and got all its data from another node as whole chunks. A node knows a stream by its event 0: it does not know
   * those that lost theirs by a scavenge.
   */
  fill(): void {
    this.#filled = this.journal.entries.length;
    this.#rebuild();
  }

  /** The entries if the log had ended before this position. */
  entriesBefore(position: number): readonly Entry[] {
    const before: Entry[] = [];
    const copy = new Store();
    for (const entry of this.journal.entries) {
      if (copy.#end >= position) break;
      if (!('scavenged' in entry)) {
        const [name, events, created, anew] = entry;
        const ends = events.map((event) => (copy.#write([name, [event], created]), copy.#end));
        const fits = ends.filter((end) => end <= position).length;
        before.push(fits === events.length ? entry : [name, events.slice(0, fits), created, anew]);
      } else {
        copy.#write(entry);
        before.push(entry);
      }
    }
    return before;
  }

  /** Forgets all ids, as a restart of the server does. */
  forget(): void {
    this.#remembered.clear();
  }

  /** Makes writes durable, before they are acknowledged. */
  sync(): void {
    this.journal.sync();
    this.emit('committed');
  }

  /** The index of the first event that begins at this position or after it. */
  indexFrom(position: number): number {
    let [low, high] = [0, this.#all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (Number(this.#all[middle]?.position) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether a position is inside an event, and whether that is the last one of all. */
  inside(position: number): 'an event' | 'the last event' | undefined {
    const index = this.indexFrom(position);
    const before = this.#all[index - 1];
    if (before === undefined || this.#all[index]?.position === position) return undefined;
    if (position >= before.position + sizeOf(before)) return undefined;
    return index === this.#all.length ? 'the last event' : 'an event';
  }

  #written(name: string): Parameters<typeof verdictOn>[0] {
    const events = this.#known(name) ?? [];
    return {
      last: this.#last(name),
      softDeleted: isSoftDeleted(this.#retention(name)),
      hasMetadata: this.#known(`$$${name}`) !== undefined,
      rememberedAt: (id) => this.#remembered.revisionOf(name, id),
      idAt: (revision) => events[revision - Number(events[0]?.revision)]?.id,
    };
  }

  /** The metadata of a tombstoned stream is deleted with it. */
  #last(name: string): number {
    if (name.startsWith('$$') && this.#last(name.slice(2)) === TOMBSTONE) return TOMBSTONE;
    return this.#known(name)?.at(-1)?.revision ?? NO_STREAM;
  }

  #known(name: string): readonly Stored[] | undefined {
    return this.#unknown.has(name) ? undefined : this.#streams.get(name);
  }

  #retention(name: string): Retention {
    if (name.startsWith('$$')) return { $maxCount: 1 };
    const metadata = this.#known(`$$${name}`)?.at(-1);
    return metadata === undefined ? {} : retentionOf(metadata.data);
  }

  #truncateBefore(name: string, revision: number): void {
    const data = this.#known(`$$${name}`)?.at(-1)?.data ?? '';
    this.#writeTo(`$$${name}`, [metadataEvent(withTruncateBefore(data, revision))]);
  }

  #writeTo(name: string, events: readonly Proposed[]): void {
    this.#write(this.#unknown.has(name) ? [name, events, this.now(), 'anew'] : [name, events, this.now()]);
  }

  #write(entry: Entry): void {
    this.journal.add(entry);
    this.#apply(entry);
  }

  #apply(entry: Entry): void {
    if ('scavenged' in entry) {
      this.#removeHidden(entry.scavenged);
      this.#end = Math.ceil(this.#end / CHUNK) * CHUNK;
      return;
    }
    const [name, events, created = Date.now(), anew] = entry;
    if (anew === 'anew') this.#tear(name);
    for (const event of events) this.#add(name, event, created);
  }

  /** The next event of the stream has the revision 0, beside what all nodes have of it. */
  #tear(name: string): void {
    this.#unknown.delete(name);
    this.#torn.add(name);
    this.#streams.delete(name);
  }

  #add(name: string, event: Proposed, created: number): void {
    const stream = this.#streams.get(name) ?? [];
    const revision = event.type === '$streamDeleted' ? TOMBSTONE : (stream.at(-1)?.revision ?? NO_STREAM) + 1;
    const stored = { ...event, stream: name, revision, position: this.#end, created };
    this.#streams.set(name, stream);
    stream.push(stored);
    this.#all.push(stored);
    this.#remembered.put(name, event.id, revision);
    this.#end += sizeOf(stored);
  }

  #removeHidden(now: number): void {
    const left = new Map<string, Stored[]>();
    for (const [name, events] of this.#streams) {
      const first = firstVisible(events, this.#retention(name), now);
      if (this.#last(name) !== TOMBSTONE) left.set(name, events.slice(Math.min(first, events.length - 1)));
      else if (!name.startsWith('$$')) left.set(name, events.slice(-1));
    }
    const kept = new Set([...left.values()].flat());
    this.#streams = left;
    this.#all = this.#all.filter((event) => kept.has(event) || this.#torn.has(event.stream));
  }

  #forgetBeheaded(): void {
    for (const [name, [first]] of this.#streams) if (first?.revision !== 0) this.#unknown.add(name);
  }

  #rebuild(): void {
    [this.#all, this.#streams, this.#end] = [[], new Map<string, Stored[]>(), 0];
    // A real server is never empty: its own events come first.
    this.#add('$settings', { id: '', type: '$settings', contentType: '', data: '', metadata: '' }, 0);
    this.#unknown.clear();
    this.#torn.clear();
    for (const [index, entry] of this.journal.entries.entries()) {
      this.#apply(entry);
      if (index + 1 === this.#filled) this.#forgetBeheaded();
    }
    this.forget();
  }
}

/** Positions are the byte offsets of a log. */
const sizeOf = ({ stream, type, data, metadata }: Stored): number =>
  120 + stream.length + type.length + data.length + metadata.length;

const metadataEvent = (data: string): Proposed => ({
  id: randomUUID(),
  type: '$metadata',
  contentType: 'application/json',
  data,
  metadata: '',
});
