import { thisMachine } from '#adapters/machine';
import { type Append, EventIds, type EventLogReader, newCommandId, type NewEvent, NO_STREAM } from '#eventsourcing';
import {
  type AnyDecider,
  categoryOf,
  causationOf,
  type Decided,
  type Decider,
  type Directive,
  direct,
  type EventBody,
  type EventMetadata,
  type Followers,
  type Instant,
  type Recorded,
  streamName,
  streamOf,
} from '#kernel';
import { purchasing } from '#purchasing/model';

/** A decision and its followers, in the order of their writing. */
export type Appends = readonly [Append, ...Append[]];

/** Events in a page of a stream that is read. */
const PAGE = 1_000;

interface Known {
  readonly state: unknown;
  /** The stream's last revision. */
  readonly revision: number;
}

/**
 * Decides commands one after another and derives their followers, as the command loop does for one caller, but writes nothing: a
 * log takes the result thousands of events at a time. The deciders themselves decide, so the events are those of this build.
 */
export class Decisions {
  readonly #ids = new EventIds(thisMachine.randomness);
  readonly #known = new Map<string, Known>();
  readonly #followers: ReadonlyMap<string, Followers>;

  constructor(
    private readonly actor: string,
    followers: readonly Followers[] = purchasing.followers,
  ) {
    this.#followers = new Map(followers.map((each) => [each.category, each]));
  }

  /** Begins with what a log has of a stream. */
  async read<C, S, E extends EventBody>(log: EventLogReader, decider: Decider<C, S, E>, id: string): Promise<void> {
    const stream = streamName(decider.category, id);
    let [state, revision] = [decider.initialState, NO_STREAM];
    for (;;) {
      const page = await log.readStream(stream, revision + 1, PAGE);
      for (const event of page) state = decider.evolve(state, event as Recorded<E>);
      revision = page.at(-1)?.revision ?? revision;
      if (page.length === 0) break;
    }
    this.#known.set(stream, { state, revision });
  }

  /**
   * Decides a command on a stream that was begun here, was read, or is new.
   * @throws Error if the command leads to nothing
   */
  decide<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string, command: C, now: Instant): Appends {
    const commandId = newCommandId(now, thisMachine.randomness);
    const metadata = { time: now, command_id: commandId, correlation: commandId, causation: null, actor: this.actor };
    const { append, decided } = this.#one(direct(decider, id, command), metadata);
    const appends: [Append, ...Append[]] = [append];
    for (const event of decided) {
      const on = this.#followers.get(categoryOf(event.stream))?.on[event.type];
      for (const directive of on?.(event as Decided<never>) ?? []) {
        if (!('command' in directive)) throw new Error(`a follower of ${event.stream} needs what the log has`);
        appends.push(this.#one(directive, { ...metadata, causation: causationOf(event) }).append);
      }
    }
    return appends;
  }

  /** The state of a stream. */
  stateOf<S>({ category }: Pick<Decider<never, S, never>, 'category'>, id: string): S {
    return this.#known.get(streamName(category, id))?.state as S;
  }

  /** Forgets what followed: nothing more will be decided on the streams of these followers. */
  forget([, ...followers]: Appends): void {
    for (const { stream } of followers) this.#known.delete(stream);
  }

  #one(directive: Directive, metadata: EventMetadata): { append: Append; decided: readonly Decided[] } {
    const stream = streamOf(directive);
    const decider: AnyDecider = directive.decider;
    const { state, revision } = this.#known.get(stream) ?? { state: decider.initialState, revision: NO_STREAM };
    const bodies = decider.decide(directive.command, state, metadata.time, revision + 1);
    if (bodies.length === 0) throw new Error(`a command on ${stream} led to nothing`);
    const events = bodies.map((body): NewEvent => ({
      type: body.type,
      data: body.data,
      id: this.#ids.next(),
      metadata,
    }));
    this.#known.set(stream, { state: bodies.reduce(decider.evolve, state), revision: revision + bodies.length });
    return {
      append: { stream, expected: revision, events },
      decided: events.map((event, index) => ({ ...event, stream, revision: revision + 1 + index })),
    };
  }
}
