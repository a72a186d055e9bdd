import { streamName, type Decider, type EventBody, type Position, type Recorded } from '#kernel';
import type { Codec } from '../events/codec.js';
import type { CommandLoop } from '../command-loop/command-loop.js';
import type { CommandContext, Outcome } from '../command-loop/context.js';
import { rehearse } from '../command-loop/rehearse.js';
import { madeAt } from '../events/ids.js';
import { later } from '../events/later.js';
import type { Clock } from '../ports/clock.js';
import type { EventLogReader } from '../ports/event-log.js';
import type { Randomness } from '../ports/randomness.js';
import { pagesOf, readEvent, readWhole } from '../events/read-stream.js';
import { newContext } from '../work/open-work.js';
import { writeMissingFollowers } from '../work/write-missing-followers.js';
import { showsFrom, showsRow } from '../scheduling/present-answer.js';
import { soughtDecision, writtenSince, type Sought } from './written-before.js';

/** What earlier tries of a command wrote in a stream. */
export interface Before {
  /** In their present versions, in order. */
  readonly events: readonly [Recorded, ...Recorded[]];
  /** The position of the last of them, or of a follower that was missing. */
  readonly position: Position;
}

/** All decisions of a stream from a revision on. */
export interface AllDecisions {
  readonly from: number;
}

/** Which events of a stream an earlier try has written. */
export interface OfEarlierTry<E extends EventBody> {
  /** Only events of these types. Name them if one command decides twice in the stream. */
  readonly types?: readonly E['type'][];
  /** Picks events of other commands whose followers the answer needs too. */
  readonly about?: (event: Recorded) => boolean;
}

/**
 * The writing side of a use case: it reads states, decides commands, and answers repeats of commands that broke off.
 *
 * A process that decided may have died before its followers wrote. A handler that may be asked again calls `repeat` (the same
 * command runs again) or `complete` (another command asks for the same), so that its answer never shows half of a decision.
 */
export class Writer {
  constructor(
    private readonly parts: {
      readonly loop: CommandLoop;
      readonly log: EventLogReader;
      readonly codec: Codec;
      readonly clock: Clock;
      readonly randomness: Randomness;
      /** Up to where this process has followed a shared log: the states that it reads have everything up to there. */
      readonly followed?: () => Position | undefined;
    },
  ) {}

  /**
   * Decides a command on its aggregate and writes its events.
   * @throws DomainError if the decider refuses
   * @throws Unavailable if the command cannot be decided or written now
   */
  execute<C, S, E extends EventBody>(
    decider: Decider<C, S, E>,
    id: string,
    command: C,
    context: CommandContext,
  ): Promise<Outcome<S, E>> {
    return this.parts.loop.execute(decider, id, command, context);
  }

  /** The state of an aggregate as it is on disk, as far as this process knows; the initial state if the stream does not exist. */
  read<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string): Promise<S> {
    return this.parts.loop.read(decider, id);
  }

  /** The state of an aggregate, read from the log now: this process may not yet know what another one has just written. */
  readNow<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string): Promise<S> {
    return this.parts.loop.readNow(decider, id);
  }

  /** As `read`, for a state that the answer of the present call shows: `Holdfast-As-Of` covers it. */
  async shown<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string): Promise<S> {
    showsFrom(this.parts.followed?.());
    const { state, last } = await this.parts.loop.readAt(decider, id);
    showsRow(last);
    return state;
  }

  /** As `readNow`, for a state that the answer of the present call shows. */
  async shownNow<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string): Promise<S> {
    showsFrom(this.parts.followed?.());
    const { state, last } = await this.parts.loop.readNowAt(decider, id);
    showsRow(last);
    return state;
  }

  /** See {@link CommandLoop.known}. */
  known<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string): S | undefined {
    return this.parts.loop.known(decider, id);
  }

  /**
   * Events of a stream, in order and in their present versions: all of them, for streams that stay short, or some from a revision
   * on. A log may give fewer than asked for, but one if there is any.
   */
  async events(stream: string, some?: { readonly from: number; readonly most: number }): Promise<readonly Recorded[]> {
    if (some === undefined) return readWhole(this.parts, stream);
    const page = await this.parts.log.readStream(stream, some.from, some.most);
    return page.map((event) => this.parts.codec.decode(event));
  }

  /**
   * One event of a stream, in its present version.
   * @returns undefined if the log lacks it: an operator may have accepted that somebody cut the stream
   * @throws Unavailable if the stream is cut, and nobody has accepted that
   */
  async event(stream: string, revision: number): Promise<Recorded | undefined> {
    const stored = await readEvent(this.parts.log, stream, revision);
    return stored && this.parts.codec.decode(stored);
  }

  /** See {@link rehearse}. */
  rehearse<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string, commands: readonly C[]): Promise<number> {
    return rehearse(this.parts.loop, decider, id, commands, this.parts.clock.now());
  }

  /** The context of a command that the service itself sends. */
  newContext(actor: string): CommandContext {
    return newContext(this.parts, actor);
  }

  /**
   * What earlier tries of a resumed command wrote in a stream before they broke off. That is then the command's outcome, whatever
   * has come since. First writes the followers that a crash cut off. A command finds what it creates by its own id; this is for what
   * it changes.
   * @returns undefined for a first try, which costs nothing, and for one that did not come so far
   * @throws Unavailable if it cannot write now
   */
  async repeat<C, S, E extends EventBody>(
    { commandId, resumed }: CommandContext,
    decider: Decider<C, S, E>,
    id: string,
    { types, about }: OfEarlierTry<E> = {},
  ): Promise<Before | undefined> {
    if (resumed !== true) return undefined;
    const { codec } = this.parts;
    // Events of others are not decoded: nobody asks for them here, not even whether they can be read.
    const wanted = (stored: Recorded): Recorded | undefined => {
      const isOwn = stored.metadata.command_id === commandId;
      if (!isOwn && about === undefined) return undefined;
      const event = codec.decode(stored);
      const fits = isOwn && (types === undefined || types.includes(event.type));
      return fits || about?.(event) === true ? event : undefined;
    };
    const [first, ...others] = await writtenSince(this.parts, decider, id, madeAt(commandId), wanted);
    if (first === undefined) return undefined;
    let { position } = first;
    for (const event of [first, ...others])
      position = later(later(position, event.position), await this.#follow(event));
    return { events: [first, ...others], position };
  }

  /**
   * Writes the missing followers of a decision, to answer another command that asks for the same again.
   * @param which the last decision that fits; or all from a revision on, of a stream that stays short
   * @returns the position of what it wrote; undefined if nothing was missing, or if there is no such decision
   * @throws Unavailable if it cannot write now
   */
  async complete<C, S, E extends EventBody>(
    decider: Decider<C, S, E>,
    id: string,
    which: Sought | AllDecisions,
  ): Promise<Position | undefined> {
    if ('fits' in which) {
      const found = await soughtDecision(this.parts, decider, id, which);
      return found && this.#follow(found);
    }
    let position: Position | undefined;
    for await (const page of pagesOf(this.parts.log, streamName(decider.category, id), which.from)) {
      for (const stored of page) position = later(position, await this.#follow(this.parts.codec.decode(stored)));
    }
    return position;
  }

  #follow(decision: Recorded): Promise<Position | undefined> {
    return writeMissingFollowers(this.parts, decision, this.parts.loop.followersOf(decision));
  }
}
