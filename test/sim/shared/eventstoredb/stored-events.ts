import { type AppendAnswer, NoEventThere, type OutgoingEvent, type ServerEvent } from '#adapters/eventstoredb';
import { NO_STREAM } from '#eventsourcing';
import type { EventMetadata, Instant, Recorded } from '#kernel';
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
    return hasOurForm(metadata) && stream.startsWith(this.prefix) && OURS.test(stream.slice(this.prefix.length));
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

/** The form of the names of streams: a category, a dash and an id. */
const OURS = /^[a-z]+-./i;

/** What an EventStoreDB has on disk, of all applications: positions are bytes, so they are sparse. Without time and faults. */
export class StoredEvents {
  #all: ServerEvent[] = [];
  #streams = new Map<string, ServerEvent[]>();
  #end = 0n;

  constructor(
    private readonly random: Seeded,
    /** Called with every event that is written. */
    private readonly written: (event: ServerEvent) => void = () => undefined,
  ) {}

  /** Everybody's events, in the order of the log. */
  get all(): readonly ServerEvent[] {
    return this.#all;
  }

  /** The events that readers see: of metadata, only the last one. */
  read(stream: string): readonly ServerEvent[] | undefined {
    const events = this.#streams.get(stream);
    return stream.startsWith('$$') ? events?.slice(-1) : events;
  }

  /** Appends on an explicit revision. Ids that are in their place already are a repeat, whatever the data. */
  append(stream: string, expected: number, events: readonly OutgoingEvent[], created: Instant): AppendAnswer {
    const there = this.#streams.get(stream) ?? [];
    const actual = there.length - 1;
    if (expected !== actual) {
      const isRepeat = events.every(({ id }, index) => there[expected + 1 + index]?.id === id);
      const last = there[expected + events.length];
      if (isRepeat && last !== undefined) return { kind: 'written', revision: last.revision, position: last.position };
      return { kind: 'conflict', actual: actual < 0 ? NO_STREAM : actual };
    }
    for (const { id, type, data, metadata } of events) {
      this.#end += BigInt(this.random.whole(180, 900));
      const stored = { data, metadata: metadata ?? undefined } as const;
      const event = {
        stream,
        revision: this.#streams.get(stream)?.length ?? 0,
        position: this.#end,
        id,
        type,
        created,
        ...copied(stored),
      };
      this.#put(Object.freeze(event));
      this.written(event);
    }
    return { kind: 'written', revision: actual + events.length, position: this.#end };
  }

  /** Puts other events in the place of all. */
  replace(events: readonly ServerEvent[]): void {
    this.#all = [];
    this.#streams = new Map();
    this.#end = 0n;
    for (const event of events) {
      this.#put(event);
      this.#end = event.position;
    }
  }

  /** The index of the first event at or after a position. */
  indexOf(position: bigint): number {
    let [low, high] = [0, this.#all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#all[middle]?.position ?? 0n) < position) low = middle + 1;
      else high = middle;
    }
    return low;
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
