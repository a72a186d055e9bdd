import type { AnyDecider } from '#kernel';
import { WeighedCache } from '../caches/weighed-cache.js';
import { NO_STREAM } from '../ports/event-log.js';
import { StreamEntry } from './stream-entry.js';

/** The streams that the loop knows: the active ones, and a bounded cache of those that were idle lately. */
export class StreamTable {
  readonly #active = new Map<string, StreamEntry>();
  readonly #idle: WeighedCache<StreamEntry>;

  /**
   * @param remembered bytes that the idle streams may need together, each as when it was idle last
   * @param snapshotEvery the events after which a stream of a decider has a snapshot due; undefined if it has none
   */
  constructor(
    remembered: number,
    private readonly snapshotEvery: (decider: AnyDecider) => number | undefined = () => undefined,
  ) {
    this.#idle = new WeighedCache(remembered, ({ weight }) => weight);
  }

  /** The streams under work. */
  get active(): readonly StreamEntry[] {
    return [...this.#active.values()];
  }

  /** About how many bytes the idle streams need. */
  get weight(): number {
    return this.#idle.weight;
  }

  /** The streams whose state is known. */
  get all(): readonly StreamEntry[] {
    return [...new Set([...this.#active.values(), ...this.#idle.values()])];
  }

  /** The stream, if it is known. */
  peek(stream: string): StreamEntry | undefined {
    return this.#active.get(stream) ?? this.#idle.get(stream);
  }

  entry(decider: AnyDecider, stream: string): StreamEntry {
    const known = this.peek(stream);
    if (known !== undefined) return known;
    const entry = new StreamEntry(stream, decider, this.snapshotEvery(decider));
    this.#idle.set(stream, entry);
    return entry;
  }

  /**
   * Notes that the stream has this revision in the log. An entry with an older state reads the new events before its next
   * use.
   */
  outdate(stream: string, revision: number): void {
    const entry = this.peek(stream);
    if (entry !== undefined && entry.logRevision < revision) entry.logRevision = revision;
  }

  /** Marks a stream as active: nobody else may decide on it. */
  occupy(entry: StreamEntry): void {
    entry.busy = true;
    this.#active.set(entry.stream, entry);
  }

  /** Puts a stream that nobody waits for back into the cache, with what it weighs now. */
  rest(entry: StreamEntry): void {
    this.#active.delete(entry.stream);
    // The cache never holds an absent stream: another process may create it at any time.
    if (entry.revision !== NO_STREAM) this.#idle.set(entry.stream, entry);
    else this.#idle.delete(entry.stream);
  }

  /** Forgets every idle stream. */
  forgetIdle(): void {
    this.#idle.clear();
  }
}
