import { expect } from '@jest/globals';
import { ViewFeed, type Checkpoint, type StoredRow, type ViewWriter } from '#eventsourcing';
import {
  DomainError,
  streamName,
  type Decided,
  type Decider,
  type Directive,
  type DomainCode,
  type EventBody,
  type Followers,
  type FollowUp,
  type Instant,
  type Recorded,
  type View,
} from '#kernel';

/** A decider's answer to one command. */
export interface Case<S, E extends EventBody> {
  /** Its events, or the code of its refusal. */
  readonly outcome: readonly E[] | DomainCode;
  /** The state after it. */
  readonly state: S;
  then(expected: readonly E[] | DomainCode): void;
}

/**
 * A case of a decider: `given(decider, events).when(command, now).then([events])`, or `.then('code')` for a refusal. The decided
 * events are also folded: `.state` is the state after them.
 */
export function given<C, S, E extends EventBody>(
  decider: Decider<C, S, E>,
  events: readonly E[] = [],
): { when(command: C, now?: Instant): Case<S, E> } {
  const before = stateOf(decider, events);
  return {
    when(command, now = 0) {
      const outcome = outcomeOf(() => decider.decide(frozen(command), before, now, events.length));
      return {
        outcome,
        state: typeof outcome === 'string' ? before : stateOf(decider, outcome, before),
        then: (expected) => expect(outcome).toEqual(expected),
      };
    },
  };
}

function outcomeOf<E>(decide: () => readonly E[]): readonly E[] | DomainCode {
  try {
    return decide();
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

/** The state after these events. They are frozen first, so that a fold that changes them fails. */
export function stateOf<C, S, E extends EventBody>(
  decider: Decider<C, S, E>,
  events: readonly E[],
  from: S = decider.initialState,
): S {
  return events.reduce((state, event) => decider.evolve(state, frozen(event)), from);
}

/** An event of a table: its stream, its body, and its time where that matters. */
export type TableEvent<E extends EventBody = EventBody> = E & { readonly stream: string; readonly time?: Instant };

/** Events as the log would hold them, in this order. */
export function recorded<E extends EventBody>(table: readonly TableEvent<E>[]): Recorded<E>[] {
  const revisions = new Map<string, number>();
  return table.map((event, index) => {
    const revision = (revisions.get(event.stream) ?? -1) + 1;
    revisions.set(event.stream, revision);
    return {
      ...event,
      id: `event-${index + 1}`,
      revision,
      position: BigInt(index + 1),
      metadata: { time: event.time ?? 0, command_id: 'c', correlation: 'r', causation: null, actor: 'a' },
    };
  });
}

/**
 * The rows of a view after these events, one by one. Each must be plain JSON with readable fields; and a second delivery of all
 * events, as after a lost checkpoint, must change no row.
 */
export async function rowsOf<Row extends object>(
  view: View<Row>,
  table: readonly TableEvent[],
): Promise<Readonly<Record<string, Row>>> {
  const events = recorded(table).map(frozen);
  const writer = new RowsInMemory();
  const feed = await ViewFeed.open(view, writer, 'log');
  for (const event of events) await feed.take([event]);
  expect(feed.stopped).toBeUndefined();
  const once = writer.rows<Row>();

  writer.loseCheckpoint();
  const again = await ViewFeed.open(view, writer, 'log');
  for (const event of events) await again.take([event]);
  expect(writer.rows()).toEqual(once);

  const whole = new RowsInMemory();
  await (await ViewFeed.open(view, whole, 'log')).take(events);
  expect(whole.rows()).toEqual(once);
  expect(JSON.parse(JSON.stringify(once))).toEqual(once);
  return once;
}

/**
 * Runs the followers of these events in other streams, in order. Every directive must write when it first runs, because only that
 * closes its row in the list of open followers, and must write nothing when it runs again.
 * @param there what the other streams hold before
 * @returns the written events, by stream
 */
export function follow(
  followers: Followers,
  table: readonly TableEvent[],
  there: Readonly<Record<string, readonly EventBody[]>> = {},
): Readonly<Record<string, readonly EventBody[]>> {
  const states = new Map<string, unknown>();
  const written: Record<string, EventBody[]> = {};
  for (const event of recorded(table)) {
    for (const followUp of followers.on[event.type]?.(frozen(event) as Decided<never>) ?? []) {
      const directive = wholeOf(followUp, recorded(table), there);
      const stream = streamName(directive.decider.category, directive.id);
      const before = states.has(stream) ? states.get(stream) : stateOf(directive.decider, there[stream] ?? []);
      const events = run(directive, before, event.metadata.time);
      expect(events.length).toBeGreaterThan(0);
      const after = events.reduce<unknown>((state, each) => directive.decider.evolve(state, each), before);
      expect(run(directive, after, event.metadata.time)).toEqual([]);
      states.set(stream, after);
      (written[stream] ??= []).push(...events);
    }
  }
  return written;
}

/** A follower with its fact, which stands in the table or in another stream. */
function wholeOf(
  followUp: FollowUp,
  table: readonly Recorded[],
  there: Readonly<Record<string, readonly EventBody[]>>,
): Directive {
  if ('command' in followUp) return followUp;
  const { stream, revision } = followUp.fact;
  const own = table.find((event) => event.stream === stream && event.revision === revision);
  const fact = own ?? there[stream]?.[revision];
  const whole = fact && followUp.complete(fact);
  if (whole === undefined) throw new Error(`${stream}@${revision} is not the event that a follower lacks`);
  return whole;
}

function run({ decider, command }: Directive, state: unknown, now: Instant): readonly EventBody[] {
  return decider.decide(command, state, now);
}

/** Frozen at any depth. */
function frozen<T>(part: T): T {
  if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) {
    Object.freeze(part);
    Object.values(part).forEach(frozen);
  }
  return part;
}

/** Holds the rows of `rowsOf`; real stores have suites of their own. */
class RowsInMemory implements ViewWriter {
  readonly #rows = new Map<string, StoredRow>();
  #checkpoint: Checkpoint | undefined;

  rows<Row extends object>(): Record<string, Row> {
    return Object.fromEntries([...this.#rows].map(([key, { row }]) => [key, row as Row]));
  }
  loseCheckpoint(): void {
    this.#checkpoint = undefined;
  }
  async checkpoint(): Promise<Checkpoint | undefined> {
    return this.#checkpoint;
  }
  async load(keys: readonly string[]): Promise<ReadonlyMap<string, StoredRow>> {
    return new Map([...this.#rows].filter(([key]) => keys.includes(key)));
  }
  async write(...[changes, checkpoint]: Parameters<ViewWriter['write']>): Promise<void> {
    for (const { key, row, position } of changes) {
      if (row === undefined) this.#rows.delete(key);
      else this.#rows.set(key, { key, row: frozen(row), position });
    }
    this.#checkpoint = checkpoint;
  }
  async finish(): Promise<void> {
    await Promise.resolve();
  }
  async close(): Promise<void> {
    await Promise.resolve();
  }
}
