import {
  type Append,
  type AppendProgress,
  type AppendResult,
  type Batch,
  type EventLog,
  type NewEvent,
  NO_STREAM,
} from '#eventsourcing';
import type { Position, Recorded } from '#kernel';

/** The fate of one append: `write` does what the log would do. */
export type Fate = (
  write: () => readonly AppendResult[],
  list: readonly Append[],
  progress: AppendProgress | undefined,
) => Promise<readonly AppendResult[]>;

/**
 * A log in memory whose outcomes a test can force; without a script it keeps the port's promises about appends
 * (`appendPromises`). Only for outcomes: everything else is tested on a real log.
 */
export class ScriptedLog implements EventLog {
  readonly countsBytes: boolean = false;
  readonly identity = 'scripted';
  readonly events: Recorded[] = [];
  /** Every list that was appended, in order. */
  readonly appends: (readonly Append[])[] = [];
  /** The fates of the next appends, one each; after them the log is honest. */
  readonly fates: Fate[] = [];
  /** Called before a stream is read: to wait, to count or to fail. */
  onRead: (stream: string, from: number) => Promise<void> | void = () => undefined;
  /** The most copies of a list to one stream that were under way at once. */
  mostInFlight = 0;
  readonly #inFlight = new Map<string, number>();

  /**
   * @param knowsIds repeats the first answer for ids that are already in their place, without comparing data, as EventStoreDB
   * does
   */
  constructor(private readonly knowsIds = false) {}

  async append(list: readonly [Append, ...Append[]], progress?: AppendProgress): Promise<readonly AppendResult[]> {
    this.appends.push(list);
    const [{ stream }] = list;
    const inFlight = (this.#inFlight.get(stream) ?? 0) + 1;
    this.#inFlight.set(stream, inFlight);
    this.mostInFlight = Math.max(this.mostInFlight, inFlight);
    // Never in the caller's turn, as on a real log.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      const fate = this.fates.shift();
      return fate === undefined ? this.write(list) : await fate(() => this.write(list), list, progress);
    } finally {
      this.#inFlight.set(stream, (this.#inFlight.get(stream) ?? 1) - 1);
    }
  }

  /** Another process appends to the end of a stream. */
  rival(stream: string, ...events: readonly NewEvent[]): void {
    this.#one({ stream, expected: this.#last(stream), events });
  }

  async readStream(stream: string, from: number, max: number): Promise<readonly Recorded[]> {
    await this.onRead(stream, from);
    return this.of(stream).slice(from, from + max);
  }

  async head(): Promise<Position> {
    return this.events.at(-1)?.position ?? 0n;
  }

  async eventAt(position: Position): Promise<Recorded | undefined> {
    return this.events.find((event) => event.position === position);
  }

  subscribe(): AsyncIterable<Batch> {
    throw new Error('a scripted log has no subscriptions');
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }

  /** The events of one stream. */
  of(stream: string): readonly Recorded[] {
    return this.events.filter((event) => event.stream === stream);
  }

  write(list: readonly Append[]): readonly AppendResult[] {
    const [decision, ...followers] = list;
    if (decision === undefined) throw new Error('an empty list');
    const first = this.#one(decision);
    return [
      first,
      ...followers.map((each): AppendResult => (first.kind === 'written' ? this.#one(each) : { kind: 'skipped' })),
    ];
  }

  #one({ stream, expected, events }: Append): AppendResult {
    const actual = this.#last(stream);
    if (actual !== expected) {
      const there = this.of(stream).slice(expected + 1, expected + 1 + events.length);
      const known = this.knowsIds && events.every(({ id }, index) => there[index]?.id === id);
      const last = there.at(-1);
      if (!known || last === undefined) return { kind: 'conflict', actual };
      return { kind: 'written', revision: last.revision, position: last.position };
    }
    events.forEach((event, index) => {
      const position = BigInt(this.events.length + 1);
      this.events.push({ ...event, stream, revision: expected + 1 + index, position });
    });
    return { kind: 'written', revision: expected + events.length, position: BigInt(this.events.length) };
  }

  #last(stream: string): number {
    return this.of(stream).at(-1)?.revision ?? NO_STREAM;
  }
}
