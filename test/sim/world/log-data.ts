import type { Recorded } from '#kernel';
import {
  NO_STREAM,
  PAGE_BYTES,
  pageOf,
  type Append,
  type AppendResult,
  type LogOwner,
  type Page,
} from '#eventsourcing';

/** What a log has on disk. It keeps the promises of the port `EventLog`, without time and faults. */
export class LogData {
  owner: LogOwner | undefined;
  readonly events: Recorded[] = [];
  readonly #streams = new Map<string, Recorded[]>();

  /** The bytes of each event's data, in the order of the log. */
  readonly #bytes: number[] = [];
  readonly #listeners: ((event: Recorded) => void)[] = [];

  constructor(
    readonly identity: string,
    /** Called with every event that is written. */
    private readonly written: (event: Recorded) => void = () => undefined,
  ) {}

  /** Calls with every event that is written from now on. */
  onWritten(listener: (event: Recorded) => void): void {
    this.#listeners.push(listener);
  }

  get head(): bigint {
    return this.events.at(-1)?.position ?? 0n;
  }

  of(stream: string): readonly Recorded[] {
    return this.#streams.get(stream) ?? [];
  }

  read(stream: string, from: number, max: number): Page {
    return this.#within(this.of(stream).slice(from, from + max));
  }

  /** Events after a position, in order. Positions count from 1 without gaps. */
  after(position: bigint, max: number): Page {
    const from = Number(position);
    return this.#within(this.events.slice(from, from + max));
  }

  at(position: bigint): Recorded | undefined {
    return this.events[Number(position) - 1];
  }

  /** The names of all streams, in the order of their first events. */
  get streams(): readonly string[] {
    return [...this.#streams.keys()];
  }

  append([decision, ...followers]: readonly [Append, ...Append[]]): readonly AppendResult[] {
    const first = this.#one(decision);
    return [
      first,
      ...followers.map((each): AppendResult => (first.kind === 'written' ? this.#one(each) : { kind: 'skipped' })),
    ];
  }

  /** The first of these events, up to the one that reaches `PAGE_BYTES`. */
  #within(events: readonly Recorded[]): Page {
    let [count, bytes] = [0, 0];
    for (; count < events.length && bytes < PAGE_BYTES; count += 1)
      bytes += this.#bytes[Number(events[count]?.position) - 1] ?? 0;
    return pageOf(events.slice(0, count), count < events.length);
  }

  #one({ stream, expected, events }: Append): AppendResult {
    const there = this.#streams.get(stream) ?? [];
    const actual = there.length - 1;
    if (actual !== expected) return { kind: 'conflict', actual: actual < 0 ? NO_STREAM : actual };
    this.#streams.set(stream, there);
    for (const event of events) {
      const position = this.head + 1n;
      const { id, type, metadata } = event;
      const text = JSON.stringify(event.data);
      const data = frozen(JSON.parse(text) as object);
      const recorded = Object.freeze({
        id,
        type,
        data,
        stream,
        revision: there.length,
        position,
        metadata: Object.freeze({ ...metadata }),
      });
      there.push(recorded);
      this.events.push(recorded);
      this.#bytes.push(text.length);
      this.written(recorded);
      for (const listener of this.#listeners) listener(recorded);
    }
    return { kind: 'written', revision: there.length - 1, position: this.head };
  }
}

/** Nobody may change what a log has shown. */
function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value) as unknown[]) if (typeof part === 'object' && part !== null) frozen(part);
  return Object.freeze(value);
}
