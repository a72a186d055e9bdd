import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import {
  causationOf,
  streamName,
  type AnyDecider,
  type Decided,
  type Decider,
  type Directive,
  type EventBody,
  type Followers,
  type Position,
} from '#kernel';
import { BoundedMap } from '../bounded-map.js';
import type { Codec } from '../codec.js';
import { Unavailable } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import { LogFailed, type EventLog } from '../ports/event-log.js';
import { appendUntilKnown } from './append-until-known.js';
import type { Cause, CommandContext, Outcome } from './context.js';
import { cut, decideDirective, decideWaiting, streamOf, toAppend, type DecidedCommand } from './decide-waiting.js';
import { StreamEntry, type Pending } from './stream-entry.js';

/** How far the loop goes before it sends callers away (design 3.2). */
export interface LoopLimits {
  /** Commands that wait for one stream. */
  readonly waiting: number;
  /** Milliseconds that a caller waits in queues and for the log. */
  readonly patience: number;
  /** Idle streams whose state is kept, per generation of the cache. */
  readonly cached: number;
}

const DEFAULT_LIMITS: LoopLimits = { waiting: 4_000, patience: 5_000, cached: 20_000 };
const LOAD_PAGE = 1_000;
const SWEEP_EVERY = 250;

export interface LoopStats {
  commands: number;
  appends: number;
  conflicts: number;
}

/** What a caller says of its command. */
type Asked = Pick<Pending, 'command' | 'context'> & Partial<Pick<Pending, 'cause' | 'read' | 'counter'>>;

/** An event, the state after it, and the command that it came from. */
interface Owned {
  readonly event: Decided;
  readonly after: unknown;
  readonly owner: Command;
}

/** A command under way, with what it has written so far. */
interface Command extends DecidedCommand {
  readonly followers: Decided[];
  /** Followers that could not join the decision's append. */
  readonly late: Promise<unknown>[];
  written: number;
  position: Position | undefined;
}

/** A follower that takes part in the append of its decision. */
interface Joined {
  readonly target: StreamEntry;
  readonly directive: Directive;
  readonly cause: Cause;
  readonly events: readonly Decided[];
  readonly owner: Command;
}

/**
 * Decides commands and writes their events. Commands that wait for one stream are decided one after another and appended
 * together, so that a busy stream costs one sync per batch; an answer waits until everything that it was decided on is on
 * disk. What follows in other streams joins the same append where their state is known, and goes through their own queues
 * where it is not.
 */
export class CommandLoop {
  readonly stats: LoopStats = { commands: 0, appends: 0, conflicts: 0 };
  readonly #log: EventLog;
  readonly #codec: Codec;
  readonly #clock: Clock;
  readonly #limits: LoopLimits;
  readonly #followers: ReadonlyMap<string, Followers>;
  readonly #active = new Map<string, StreamEntry>();
  readonly #idle: BoundedMap<string, StreamEntry>;
  readonly #stop = new AbortController();
  readonly #sweeper: NodeJS.Timeout;
  #failed: Error | undefined;

  constructor(options: {
    readonly log: EventLog;
    readonly codec: Codec;
    readonly clock: Clock;
    readonly followers: readonly Followers[];
    readonly limits?: Partial<LoopLimits>;
  }) {
    this.#log = options.log;
    this.#codec = options.codec;
    this.#clock = options.clock;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#followers = new Map(options.followers.map((followers) => [followers.category, followers]));
    this.#idle = new BoundedMap(this.#limits.cached);
    this.#sweeper = setInterval(() => this.#sendAwayTheLate(), SWEEP_EVERY);
    this.#sweeper.unref();
  }

  /**
   * Decides a command on its aggregate and writes what it causes.
   * @throws DomainError when the decider refuses
   * @throws Unavailable when it cannot be decided or written now
   */
  execute<C, S, E extends EventBody>(
    decider: Decider<C, S, E>,
    id: string,
    command: C,
    context: CommandContext,
  ): Promise<Outcome<S, E>> {
    this.stats.commands += 1;
    const entry = this.#entry(decider, streamName(decider.category, id));
    return this.#enqueue(entry, { command, context }) as Promise<Outcome<S, E>>;
  }

  /** Runs a directive of a work list; with a cause, as the follower that its decision calls for. */
  direct(directive: Directive, context: CommandContext, cause?: Cause): Promise<Outcome<unknown, EventBody>> {
    return this.#direct(directive, { context, cause });
  }

  /** An aggregate's state as it is on disk; the initial one for a stream that does not exist. */
  async read<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string): Promise<S> {
    const entry = this.#entry(decider, streamName(decider.category, id));
    if (entry.loaded && this.#failed === undefined) return entry.state as S;
    const context = { commandId: '', correlation: '', actor: '' };
    const outcome = await this.#enqueue(entry, { command: undefined, context, read: true });
    return outcome.state as S;
  }

  /** Ends after the appends under way. New commands are sent away. */
  async close(): Promise<void> {
    this.#failed ??= new Unavailable('the service is stopping');
    clearInterval(this.#sweeper);
    for (const entry of this.#active.values()) this.#reject(entry.waiting.splice(0), this.#failed);
    this.#stop.abort();
    while ([...this.#active.values()].some((entry) => entry.busy)) await turn();
  }

  #entry(decider: AnyDecider, stream: string): StreamEntry {
    return this.#active.get(stream) ?? this.#idle.get(stream) ?? this.#remember(new StreamEntry(stream, decider));
  }

  #remember(entry: StreamEntry): StreamEntry {
    this.#idle.set(entry.stream, entry);
    return entry;
  }

  #direct(directive: Directive, asked: Omit<Asked, 'command'>): Promise<Outcome<unknown, EventBody>> {
    const entry = this.#entry(directive.decider, streamOf(directive));
    return this.#enqueue(entry, { command: directive.command, ...asked });
  }

  #enqueue(entry: StreamEntry, asked: Asked): Promise<Outcome<unknown, EventBody>> {
    return new Promise((resolve, reject) => {
      if (this.#failed !== undefined) {
        reject(this.#failed);
        return;
      }
      if (entry.waiting.length >= this.#limits.waiting) {
        reject(new Unavailable(`too many commands wait for ${entry.stream}`));
        return;
      }
      entry.waiting.push({
        command: asked.command,
        context: asked.context,
        cause: asked.cause,
        read: asked.read ?? false,
        counter: asked.counter ?? { next: 0 },
        deadline: performance.now() + this.#limits.patience,
        settled: false,
        resolve,
        reject,
      });
      this.#wake(entry);
    });
  }

  /** Begins to work on a stream, once what arrives in this turn of the event loop is all there. */
  #wake(entry: StreamEntry): void {
    if (entry.busy) return;
    this.#occupy(entry);
    setImmediate(() => void this.#drain(entry));
  }

  #occupy(entry: StreamEntry): void {
    entry.busy = true;
    this.#active.set(entry.stream, entry);
  }

  #release(entry: StreamEntry): void {
    entry.busy = false;
    entry.deciding = [];
    if (entry.waiting.length > 0) {
      this.#wake(entry);
    } else {
      this.#active.delete(entry.stream);
      this.#idle.set(entry.stream, entry);
    }
  }

  async #drain(entry: StreamEntry): Promise<void> {
    try {
      while (entry.waiting.length > 0) {
        if (!entry.loaded) await this.#load(entry);
        await this.#decide(entry);
      }
    } catch (error) {
      this.#broken(entry, error);
    } finally {
      this.#release(entry);
    }
  }

  async #load(entry: StreamEntry): Promise<void> {
    for (;;) {
      const page = await this.#log.readStream(entry.stream, entry.revision + 1, LOAD_PAGE);
      for (const event of page) entry.take(this.#codec.decode(event));
      if (page.length < LOAD_PAGE) break;
      await turn();
    }
    entry.loaded = true;
  }

  async #decide(entry: StreamEntry): Promise<void> {
    const now = Math.max(this.#clock.now(), entry.lastTime);
    const { decided, bytes } = decideWaiting(entry, now);
    const commands = decided.map((command): Command => ({
      ...command,
      followers: [],
      late: [],
      written: 0,
      position: undefined,
    }));
    entry.deciding = commands.map((command) => command.pending);
    const owned = commands.flatMap((owner) =>
      owner.events.map((event, index): Owned => ({ event, after: owner.states[index], owner })),
    );
    let at = 0;
    for (const piece of cut(
      owned.map(({ event }) => event),
      bytes,
    )) {
      const written = await this.#append(entry, owned.slice(at, at + piece.length));
      if (!written) {
        this.stats.conflicts += 1;
        const undone = commands.filter(
          (command) => command.written < command.events.length || command.events.length === 0,
        );
        entry.waiting.unshift(...undone.map((command) => command.pending));
        for (const command of commands) if (!undone.includes(command)) settle(command);
        await this.#load(entry);
        await pause(Math.random() * 5);
        return;
      }
      at += piece.length;
    }
    for (const command of commands) settle(command);
  }

  /** Writes one piece with the followers that can join it; false on a conflict, after which nothing of it is written. */
  async #append(entry: StreamEntry, owned: readonly Owned[]): Promise<boolean> {
    const joined: Joined[] = [];
    const apart: Omit<Joined, 'target' | 'events'>[] = [];
    for (const { event, owner } of owned) {
      if (owner.pending.cause !== undefined) continue;
      const cause = { causation: causationOf(event), time: event.metadata.time };
      for (const directive of this.#followersOf(entry.decider.category, event)) {
        const follower = this.#join(directive, cause, owner);
        if (follower === undefined) apart.push({ directive, cause, owner });
        else joined.push(follower);
      }
    }
    const events = owned.map(({ event }) => event);
    this.stats.appends += 1;
    let written = false;
    try {
      const results = await appendUntilKnown(
        this.#log,
        [toAppend(events), ...joined.map((follower) => toAppend(follower.events))],
        this.#stop.signal,
      );
      const [decision] = results;
      if (decision?.kind !== 'written') return false;
      written = true;
      for (const { event, after, owner } of owned) {
        entry.take(event, after);
        owner.written += 1;
        owner.position = decision.position;
      }
      joined.forEach((follower, index) => {
        const result = results[index + 1];
        if (result?.kind === 'written') {
          for (const event of follower.events) follower.target.take(event);
          follower.target.loaded = true;
          follower.owner.followers.push(...follower.events);
          follower.owner.position = result.position;
        } else {
          follower.target.forget();
          apart.push(follower);
        }
      });
    } finally {
      for (const { target } of joined) {
        if (!written) target.forget();
        this.#release(target);
      }
    }
    for (const { directive, cause, owner } of apart) owner.late.push(this.#follow(directive, cause, owner));
    return true;
  }

  #followersOf(category: string, event: Decided): readonly Directive[] {
    const handler = this.#followers.get(category)?.on[event.type];
    return handler === undefined ? [] : handler(event as Decided<never>);
  }

  /**
   * Takes a follower into its decision's append: its stream must be idle. One that is not known is taken to be new; if it
   * is not, the log says so, and the follower goes through its queue.
   */
  #join(directive: Directive, cause: Cause, owner: Command): Joined | undefined {
    const target = this.#entry(directive.decider, streamOf(directive));
    if (target.busy || target.waiting.length > 0) return undefined;
    const events = decideDirective(target, directive, { ...owner.pending, cause });
    if (events === undefined || cut(events).length > 1) return undefined;
    this.#occupy(target);
    return { target, directive, cause, events, owner };
  }

  async #follow(directive: Directive, cause: Cause, owner: Command): Promise<void> {
    const { context, counter } = owner.pending;
    const outcome = await this.#direct(directive, { context, cause, counter });
    owner.followers.push(...outcome.events);
    owner.position = outcome.position ?? owner.position;
  }

  /** The stream cannot be worked on: its callers are told, and the next command begins anew. */
  #broken(entry: StreamEntry, error: unknown): void {
    if (error instanceof LogFailed) {
      this.#failed ??= new Unavailable('the event log has failed; the service must be restarted', 10);
      this.#idle.clear();
      for (const active of this.#active.values()) {
        this.#reject([...active.deciding, ...active.waiting.splice(0)], this.#failed);
        active.forget();
      }
      return;
    }
    this.#reject([...entry.deciding, ...entry.waiting.splice(0)], error);
    entry.forget();
  }

  #reject(pending: readonly Pending[], error: unknown): void {
    for (const each of pending) {
      if (each.settled) continue;
      each.settled = true;
      each.reject(error);
    }
  }

  /** Callers that have waited long enough are told to come again; what is under way for them goes on. */
  #sendAwayTheLate(): void {
    const now = performance.now();
    for (const entry of this.#active.values()) {
      const late = [...entry.deciding, ...entry.waiting].filter((each) => each.deadline <= now);
      this.#reject(late, new Unavailable(`${entry.stream} is busy`));
      entry.waiting = entry.waiting.filter((each) => !each.settled);
    }
  }
}

/** Tells a caller what became of its command, once its late followers are written too. */
function settle(command: Command): void {
  const { pending } = command;
  const answer = (): void => {
    if (pending.settled) return;
    pending.settled = true;
    if (command.error !== undefined) {
      pending.reject(command.error);
      return;
    }
    const { events, followers, state, position } = command;
    pending.resolve({ events, followers, state, position });
  };
  const fail = (error: unknown): void => {
    if (pending.settled) return;
    pending.settled = true;
    pending.reject(error);
  };
  if (command.late.length === 0) answer();
  else Promise.all(command.late).then(answer, fail);
}
