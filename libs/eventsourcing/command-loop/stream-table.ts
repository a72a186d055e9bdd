import type { AnyDecider } from '#kernel';
import { BoundedMap } from '../bounded-map.js';
import { NO_STREAM } from '../ports/event-log.js';
import { StreamEntry } from './stream-entry.js';

/** What the loop knows of streams: those that it works on, and a bounded memory of idle ones. */
export class StreamTable {
  readonly #active = new Map<string, StreamEntry>();
  readonly #idle: BoundedMap<string, StreamEntry>;

  /** @param remembered idle streams, per generation of the cache */
  constructor(remembered: number) {
    this.#idle = new BoundedMap(remembered);
  }

  /** The streams that are worked on. */
  get active(): readonly StreamEntry[] {
    return [...this.#active.values()];
  }

  entry(decider: AnyDecider, stream: string): StreamEntry {
    const known = this.#active.get(stream) ?? this.#idle.get(stream);
    if (known !== undefined) return known;
    const entry = new StreamEntry(stream, decider);
    this.#idle.set(stream, entry);
    return entry;
  }

  /** The stream has come to this revision: one that is older is read on before it is used again, once it is idle. */
  outdate(stream: string, revision: number): void {
    const entry = this.#active.get(stream) ?? this.#idle.get(stream);
    if (entry !== undefined && entry.logRevision < revision) entry.logRevision = revision;
  }

  /** Marks a stream as worked on: nobody else may decide on it. */
  occupy(entry: StreamEntry): void {
    entry.busy = true;
    this.#active.set(entry.stream, entry);
  }

  /** Puts a stream that nobody waits for to rest. */
  rest(entry: StreamEntry): void {
    this.#active.delete(entry.stream);
    // Absence is never remembered: another process may make the stream at any time.
    if (entry.revision === NO_STREAM) this.#idle.delete(entry.stream);
    else this.#idle.set(entry.stream, entry);
  }

  /** Forgets every idle stream. */
  forgetIdle(): void {
    this.#idle.clear();
  }
}
