import {
  type AnyDecider,
  categoryOf,
  type Instant,
  type Position,
  type Recorded,
  type StreamChecker,
  type StreamRules,
} from '#kernel';
import { BoundedMap } from '../caches/bounded-map.js';
import type { Codec } from '../events/codec.js';
import { pagesOf } from '../events/read-stream.js';
import type { EventLogReader } from '../ports/event-log.js';
import { isDecision } from './log-order.js';

/** Bytes of a stream whose state is small. */
const SMALL = 3_000;
/** A stream is weighed again after so many events. */
const WEIGH_EVERY = 64;

/** A stream as its events so far make it. */
export interface KnownStream {
  readonly stream: string;
  readonly decider: AnyDecider;
  readonly rules: StreamRules | undefined;
  readonly checker: StreamChecker | undefined;
  /** Only checkers read it here. Others ask `stateOf` for it, because folds change a large one in place. */
  state: unknown;
  /** Whether folds may change the state in place. */
  isMutable: boolean;
  /** The last revision; -1 before the first event. */
  revision: number;
  position: Position;
  /** The time of the last decision; undefined before the first one. */
  time: Instant | undefined;
  /** Whether all events could be folded: otherwise nothing more is said of its content. */
  isWhole: boolean;
  /** What the last decision in another stream led to here, and how many events of it have come. */
  writing: Writing | undefined;
  /** The revision of a stored snapshot that is to be compared when the fold gets there. */
  snapshotAt: number | undefined;
}

/** The events that a decision leads to in this stream. */
export interface Writing {
  readonly causation: string;
  readonly bodies: readonly { readonly type: string; readonly data: object }[];
  come: number;
}

/**
 * The streams that were folded last. It holds a bounded number of bytes, however large the log is: a stream that it has forgotten
 * is read from the log again.
 */
export class KnownStreams {
  readonly #known: BoundedMap<string, KnownStream>;
  readonly #deciders: ReadonlyMap<string, AnyDecider>;
  readonly #rules: ReadonlyMap<string, StreamRules>;

  constructor(
    private readonly parts: {
      readonly log: Pick<EventLogReader, 'readStream'>;
      readonly codec: Pick<Codec, 'decode'>;
      readonly deciders: readonly AnyDecider[];
      readonly rules: readonly StreamRules[];
      /** The most bytes. */
      readonly bytes: number;
    },
  ) {
    const { deciders, rules, bytes } = parts;
    this.#known = new BoundedMap(bytes / 2, weightOf);
    this.#deciders = new Map(deciders.map((decider) => [decider.category, decider]));
    this.#rules = new Map(rules.map((each) => [each.category, each]));
  }

  /** The stream, if it is known. */
  get(stream: string): KnownStream | undefined {
    return this.#known.get(stream);
  }

  /** A stream before its first event; undefined if no decider has such streams. */
  begin(stream: string): KnownStream | undefined {
    const known = this.#empty(stream);
    if (known !== undefined) this.#known.set(stream, known);
    return known;
  }

  #empty(stream: string): KnownStream | undefined {
    const category = categoryOf(stream);
    const decider = this.#deciders.get(category);
    if (decider === undefined) return undefined;
    const rules = this.#rules.get(category);
    return {
      stream,
      decider,
      rules,
      checker: rules?.begin(),
      state: decider.initialState,
      isMutable: false,
      revision: -1,
      position: 0n,
      time: undefined,
      isWhole: true,
      writing: undefined,
      snapshotAt: undefined,
    };
  }

  /** Reads a stream again that was forgotten, up to the event before a revision. */
  async load(stream: string, below: number): Promise<KnownStream | undefined> {
    const known = await this.read(stream, below);
    if (known !== undefined) this.#known.set(stream, known);
    return known;
  }

  /**
   * The stream as the log has it now, whatever was read of the log so far.
   * @param below it reads events before this revision only
   */
  async read(stream: string, below = Infinity): Promise<KnownStream | undefined> {
    const known = this.#empty(stream);
    if (known === undefined) return undefined;
    for await (const page of pagesOf(this.parts.log, stream)) {
      for (const stored of page) {
        if (stored.revision >= below) break;
        if (stored.revision !== known.revision + 1) known.isWhole = false;
        this.#foldAgain(known, stored);
      }
      if ((page.at(-1)?.revision ?? below) >= below) break;
    }
    return known;
  }

  #foldAgain(known: KnownStream, stored: Recorded): void {
    known.revision = stored.revision;
    known.position = stored.position;
    try {
      const event = this.parts.codec.decode(stored);
      if (known.isWhole) known.checker?.check(known.state, event);
      this.fold(known, event);
    } catch {
      // What is wrong with it is found where the log has it.
      known.isWhole = false;
    }
  }

  /** Folds an event. @throws whatever the fold throws for an event that cannot be */
  fold(known: KnownStream, event: Recorded): void {
    known.revision = event.revision;
    known.position = event.position;
    if (isDecision(event)) known.time = event.metadata.time;
    if (known.isWhole) known.state = known.decider.evolve(mutableStateOf(known), event);
    if (event.revision % WEIGH_EVERY === WEIGH_EVERY - 1) this.#known.set(known.stream, known);
  }
}

/** The state for the next fold. */
function mutableStateOf(known: KnownStream): unknown {
  const { transient } = known.decider;
  if (known.isMutable || transient === undefined) return known.state;
  known.state = transient.asMutable(known.state);
  known.isMutable = true;
  return known.state;
}

/** The state as it is now: a later fold does not change it. */
export function stateOf(known: KnownStream): unknown {
  const { transient } = known.decider;
  if (!known.isMutable || transient === undefined) return known.state;
  known.state = transient.asImmutable(known.state);
  known.isMutable = false;
  return known.state;
}

function weightOf({ decider, state, checker, isWhole }: KnownStream): number {
  return SMALL + (isWhole ? (decider.weigh?.(state) ?? 0) : 0) + (checker?.bytes ?? 0);
}
