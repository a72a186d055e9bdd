import { NoEventThere, type OutgoingEvent, type ServerEvent } from '#adapters/eventstoredb';
import { categoryOf, type EventMetadata, type Instant, type Recorded } from '#kernel';
import { categories } from '#platform';
import { NO_STREAM, verdictOn } from '../../../support/eventstoredb/commit-check.js';
import { firstVisible, isSoftDeleted, type Retention } from '../../../support/eventstoredb/retention.js';
import type { Outcome } from '../../../support/eventstoredb/store.js';
import type { Seeded } from '../../core/seeded.js';
import type { Truth } from '../../world/installation.js';

/** The events of the installation, as they were written. An older copy in the place of the log does not change them. */
export class OurEvents implements Truth {
  readonly events: Recorded[] = [];
  readonly #streams = new Map<string, Recorded[]>();
  readonly #listeners: ((event: Recorded) => void)[] = [];

  /** @param prefix of the streams of the installation */
  constructor(private readonly prefix: string) {}

  /** @param stream its name without the prefix */
  of(stream: string): readonly Recorded[] {
    return this.#streams.get(stream) ?? [];
  }

  onWritten(listener: (event: Recorded) => void): void {
    this.#listeners.push(listener);
  }

  /** Whether it is one of them. */
  has({ stream, metadata }: ServerEvent): boolean {
    return hasOurForm(metadata) && this.isNameOfOurs(stream);
  }

  /** Whether a stream with this whole name would be one of them. */
  isNameOfOurs(stream: string): boolean {
    const name = stream.slice(this.prefix.length);
    return stream.startsWith(this.prefix) && OURS.has(categoryOf(name)) && name.includes('-');
  }

  /** Forgets what came after a position. Nobody who has heard of that can go on. */
  loseEnd(after: bigint): void {
    this.#listeners.splice(1);
    for (const events of [this.events, ...this.#streams.values()]) {
      while ((events.at(-1)?.position ?? 0n) > after) events.pop();
    }
  }

  /** Takes one, if it is. */
  take(event: ServerEvent): void {
    const { created: _, data, metadata, ...rest } = event;
    if (!hasOurForm(metadata) || !this.has(event)) return;
    const stream = event.stream.slice(this.prefix.length);
    const recorded: Recorded = Object.freeze({ ...rest, stream, data: data as object, metadata });
    const there = this.#streams.get(stream) ?? [];
    this.#streams.set(stream, there);
    there.push(recorded);
    this.events.push(recorded);
    for (const listener of this.#listeners) listener(recorded);
  }
}

const OURS: ReadonlySet<string> = new Set(categories);

/** A scavenge begins a new chunk of the log, of so many bytes. */
const CHUNK = 2n ** 28n;

/** What an EventStoreDB has on disk, of all applications: positions are bytes, so they are sparse. Without time and faults. */
export class StoredEvents {
  #all: ServerEvent[] = [];
  #streams = new Map<string, ServerEvent[]>();
  #end = 0n;
  /** Streams that have two events 0: no node can read them. */
  readonly torn = new Set<string>();
  /** When each event was written, in milliseconds of the world: the servers' clocks may say anything. */
  readonly #writtenAt = new WeakMap<ServerEvent, number>();

  constructor(
    private readonly random: Seeded,
    /** Called with every event that is written. */
    private readonly written: (event: ServerEvent) => void = () => undefined,
    /** Milliseconds of the world. */
    private readonly time: () => number = () => 0,
  ) {}

  /** Everybody's events, in the order of the log. */
  get all(): readonly ServerEvent[] {
    return this.#all;
  }

  /** The events that readers see now; undefined for a missing stream. */
  read(stream: string, now: Instant): readonly ServerEvent[] | undefined {
    const events = this.#streams.get(stream);
    const retention = this.#retention(stream);
    if (events === undefined || isSoftDeleted(retention)) return undefined;
    const first = firstVisible(events, retention, now);
    return first === 0 ? events : events.slice(first);
  }

  /** The revision of a stream's last event, whether readers see it or not. */
  last(stream: string): number {
    return this.#streams.get(stream)?.at(-1)?.revision ?? NO_STREAM;
  }

  /**
   * Appends on an explicit revision. Ids that are in their place already are a repeat, whatever the data.
   * @param isUnknown the node does not know the stream, because it has no event 0 of it: then it begins the stream anew
   * @returns no position for a repeat of events that are hidden
   */
  append(
    stream: string,
    expected: number,
    events: readonly OutgoingEvent[],
    created: Instant,
    isUnknown = false,
  ): Outcome {
    const last = isUnknown ? NO_STREAM : this.last(stream);
    const softDeleted = !isUnknown && isSoftDeleted(this.#retention(stream));
    const verdict = verdictOn(
      {
        last,
        softDeleted,
        hasMetadata: this.#streams.has(`$$${stream}`),
        rememberedAt: () => undefined,
        idAt: (revision) => (isUnknown ? undefined : this.#at(stream, revision)?.id),
      },
      expected,
      events.map(({ id }) => id),
    );
    if (verdict === 'conflict' || verdict === 'deleted') return { actual: last };
    if (verdict !== 'write') {
      const { repeatOf: revision } = verdict;
      const there = this.read(stream, created)?.find((event) => event.revision === revision);
      return { revision, position: there && Number(there.position) };
    }
    if (isUnknown) {
      this.torn.add(stream);
      this.#streams.delete(stream);
    }
    for (const event of events) this.#write(stream, event, created);
    const answer = { revision: last + events.length, position: Number(this.#end) };
    // A soft-deleted stream continues its numbers when it is written to.
    if (softDeleted) this.setMetadata(stream, { $tb: last + 1 }, created);
    return answer;
  }

  /** Sets a stream's metadata, as an administrator does. `$tb` of `TOMBSTONE` deletes it softly. */
  setMetadata(stream: string, metadata: Retention, created: Instant): void {
    const id = `${this.random.bytes(4).toString('hex')}-0000-4000-8000-${this.random.bytes(6).toString('hex')}`;
    this.#write(`$$${stream}`, { id, type: '$metadata', data: metadata }, created);
  }

  /** Removes for good what a retention hides, except for the last event of each stream. @returns whether anything is gone */
  scavenge(now: Instant): boolean {
    const gone = new Set<ServerEvent>();
    for (const [stream, events] of this.#streams) {
      const first = Math.min(firstVisible(events, this.#retention(stream), now), events.length - 1);
      for (const event of events.splice(0, first)) gone.add(event);
    }
    this.#all = this.#all.filter((event) => !gone.has(event));
    this.#end = ((this.#end + CHUNK - 1n) / CHUNK) * CHUNK;
    return gone.size > 0;
  }

  /** The streams whose event 0 is gone. */
  beheaded(): readonly string[] {
    return [...this.#streams].filter(([, [first]]) => first?.revision !== 0).map(([stream]) => stream);
  }

  /** Puts other events in the place of all. */
  replace(events: readonly ServerEvent[]): void {
    this.#all = [];
    this.#streams = new Map();
    this.#end = 0n;
    this.torn.clear();
    for (const event of events) {
      this.#put(event);
      this.#end = event.position;
    }
  }

  /** The index of the first event at or after a position. */
  indexOf(position: bigint): number {
    return this.#count((event) => event.position < position);
  }

  /** How many events were written before this time, in milliseconds of the world. */
  writtenBefore(time: number): number {
    return this.#count((event) => (this.#writtenAt.get(event) ?? 0) < time);
  }

  /** The index of the first event after a position. @throws NoEventThere for a position inside an event further back */
  after(position: bigint): number {
    const index = this.from(position);
    return this.#all[index]?.position === position ? index + 1 : index;
  }

  /** The index of the event at a position. @throws NoEventThere for a position inside an event further back */
  from(position: bigint): number {
    const index = this.indexOf(position);
    const there = this.#all[index];
    // Inside the last event, or beyond the end, the server finds nothing, and says nothing.
    if (position > 0n && there !== undefined && there.position !== position && index < this.#all.length - 1)
      throw new NoEventThere(`no event begins at the position ${position}`);
    return position > 0n && there?.position !== position ? this.#all.length : index;
  }

  /** How many of all are before a place in the log. */
  #count(isBefore: (event: ServerEvent) => boolean): number {
    let [low, high] = [0, this.#all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(this.#all[middle] as ServerEvent)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #write(stream: string, { id, type, data, metadata }: OutgoingEvent, created: Instant): void {
    this.#end += BigInt(this.random.whole(180, 900));
    const stored = { data, metadata: metadata ?? undefined } as const;
    const revision = this.last(stream) + 1;
    const event = { stream, revision, position: this.#end, id, type, created, ...copied(stored) };
    this.#writtenAt.set(event, this.time());
    this.#put(Object.freeze(event));
    this.written(event);
  }

  #at(stream: string, revision: number): ServerEvent | undefined {
    const events = this.#streams.get(stream);
    return events?.[revision - (events[0]?.revision ?? 0)];
  }

  #retention(stream: string): Retention {
    if (stream.startsWith('$$')) return { $maxCount: 1 };
    return this.#streams.get(`$$${stream}`)?.at(-1)?.data ?? {};
  }

  #put(event: ServerEvent): void {
    const there = this.#streams.get(event.stream) ?? [];
    this.#streams.set(event.stream, there);
    there.push(event);
    this.#all.push(event);
  }
}

function hasOurForm(metadata: unknown): metadata is EventMetadata {
  return typeof metadata === 'object' && metadata !== null && 'command_id' in metadata;
}

/** As JSON brings it back. Nobody may change what the server has. */
function copied<T extends object>(value: T): T {
  return frozen(JSON.parse(JSON.stringify(value)) as T);
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
