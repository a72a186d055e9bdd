import {
  causationOf,
  streamName,
  streamOf,
  type Decided,
  type Decider,
  type Directive,
  type EventBody,
  type Followers,
  type Position,
  type Recorded,
} from '#kernel';
import { CALL_PATIENCE, timeLeft } from '../call-deadline.js';
import type { Codec } from '../codec.js';
import { Unavailable } from '../errors.js';
import { EventIds } from '../ids.js';
import type { Clock } from '../ports/clock.js';
import { LogFailed, NO_STREAM, type Append, type AppendResult, type EventLog } from '../ports/event-log.js';
import type { Machine } from '../ports/machine.js';
import type { Timer } from '../ports/time.js';
import { LogGuard } from '../ownership/log-guard.js';
import { unreadFinding } from '../ownership/stream-findings.js';
import { appendUntilKnown } from './append-until-known.js';
import { contradictionIn } from './contradictions.js';
import { commandsOf, settle, type Follower, type JoinedFollower, type OwnedEvent } from './command.js';
import type { Cause, CommandContext, Outcome } from './context.js';
import { splitAppend, decideDirective, decideWaiting, toAppend } from './decide-waiting.js';
import type { Pending, StreamEntry } from './stream-entry.js';
import { StreamTable } from './stream-table.js';

/** How far the loop goes before it sends callers away. */
export interface LoopLimits {
  /** Commands that wait for one stream. */
  readonly waiting: number;
  /** Milliseconds that a caller waits in queues and for the log, for each command; less where the call has less left. */
  readonly patience: number;
  /** Milliseconds before an append whose answer was lost is sent again, at first. */
  readonly repeatAfter: number;
  /** Milliseconds that a log may count events which it does not give, before that is a finding. */
  readonly unread: number;
  /** Idle streams whose state is kept, per generation of the cache. */
  readonly cached: number;
}

const DEFAULT_LIMITS: LoopLimits = {
  waiting: 4_000,
  patience: CALL_PATIENCE,
  repeatAfter: 50,
  unread: 3_000,
  cached: 20_000,
};
const LOAD_PAGE = 1_000;
/** So far back a follower is looked for that was written a moment ago. */
const TAIL = 200;
const SWEEP_EVERY = 250;
/** Between two tries on a stream of which the log counts what it does not give, in milliseconds. */
const UNREAD_PAUSE = 100;

export interface LoopStats {
  commands: number;
  appends: number;
  conflicts: number;
}

/** What a caller says of its command. */
type Request = Pick<Pending, 'command' | 'context'> & Partial<Pick<Pending, 'cause' | 'read' | 'deadline'>>;

/**
 * Decides commands and writes their events. Commands that wait for one stream are decided one after another and appended
 * together, so that a busy stream costs one sync per batch; an answer waits until everything that it was decided on is on
 * disk. What follows in other streams joins the same append where their state is known, and goes through their own queues
 * where it is not. README.md beside it has the seven steps of a command, and a picture of what a stream's entry goes through.
 */
export class CommandLoop {
  readonly stats: LoopStats = { commands: 0, appends: 0, conflicts: 0 };
  readonly #log: EventLog;
  readonly #codec: Codec;
  readonly #clock: Clock;
  readonly #machine: Machine;
  readonly #ids: EventIds;
  readonly #limits: LoopLimits;
  readonly #followers: ReadonlyMap<string, Followers>;
  readonly #guard: LogGuard;
  readonly #streams: StreamTable;
  readonly #stop = new AbortController();
  readonly #sweeper: Timer;
  #failed: Error | undefined;
  /** The furthest position that was acknowledged, or read to be decided on. What was only followed may be taken back. */
  #seen: Position = 0n;

  constructor(options: {
    readonly log: EventLog;
    readonly codec: Codec;
    readonly clock: Clock;
    readonly machine: Machine;
    readonly followers: readonly Followers[];
    /** Asked before anything is decided; without one, only what the loop itself sees speaks against the log. */
    readonly guard?: LogGuard;
    readonly limits?: Partial<LoopLimits>;
  }) {
    this.#log = options.log;
    this.#codec = options.codec;
    this.#clock = options.clock;
    this.#machine = options.machine;
    this.#ids = new EventIds(options.machine.randomness);
    this.#guard =
      options.guard ??
      new LogGuard({
        check: async () => [],
        accepted: new Set(),
        notice: () => undefined,
        time: options.machine.time,
      });
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#followers = new Map(options.followers.map((followers) => [followers.category, followers]));
    this.#streams = new StreamTable(this.#limits.cached);
    this.#sweeper = this.#machine.time.every(SWEEP_EVERY, () => this.#rejectOverdue()).unref();
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
    const entry = this.#streams.entry(decider, streamName(decider.category, id));
    return this.#enqueue(entry, { command, context }) as Promise<Outcome<S, E>>;
  }

  /** Runs a directive of a work list; with a cause, as the follower that its decision calls for. */
  direct(directive: Directive, context: CommandContext, cause?: Cause): Promise<Outcome<unknown, EventBody>> {
    return this.#direct(directive, { context, cause });
  }

  /** An aggregate's state as it is on disk; the initial one for a stream that does not exist. */
  async read<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string): Promise<S> {
    const entry = this.#streams.entry(decider, streamName(decider.category, id));
    if (entry.current && this.#failed === undefined && this.#trusts(entry.stream)) return entry.state as S;
    const context = { commandId: '', correlation: '', actor: '' };
    const outcome = await this.#enqueue(entry, { command: undefined, context, read: true });
    return outcome.state as S;
  }

  /** The same as the log has it now: of what another process has written a moment ago nothing may have been heard. */
  readNow<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string): Promise<S> {
    this.#streams.entry(decider, streamName(decider.category, id)).doubt();
    return this.read(decider, id);
  }

  /**
   * An event is in the log that another process may have written: what is remembered of its stream is read on before it is
   * used again. To be called with every event where several processes share the log; no decision rests on it, for each is
   * appended on the revision that it knew, or looked at the stream's tail.
   */
  outdate({ stream, revision }: Pick<Recorded, 'stream' | 'revision'>): void {
    this.#streams.outdate(stream, revision);
  }

  /** Whether this loop has decided the event of this id. */
  hasDecided(eventId: string): boolean {
    return this.#ids.has(eventId);
  }

  /** Ends after the appends under way. New commands are sent away. */
  async close(): Promise<void> {
    this.#failed ??= new Unavailable('the service is stopping');
    this.#machine.time.cancel(this.#sweeper);
    for (const entry of this.#streams.active) this.#reject(entry.waiting.splice(0), this.#failed);
    this.#stop.abort();
    while (this.#streams.active.some((entry) => entry.busy)) await this.#machine.time.turn();
  }

  #direct(directive: Directive, request: Omit<Request, 'command'>): Promise<Outcome<unknown, EventBody>> {
    const entry = this.#streams.entry(directive.decider, streamOf(directive));
    return this.#enqueue(entry, { command: directive.command, ...request });
  }

  // 1. Wait.
  #enqueue(entry: StreamEntry, request: Request): Promise<Outcome<unknown, EventBody>> {
    return new Promise((resolve, reject) => {
      if (this.#failed !== undefined) {
        reject(this.#failed);
        return;
      }
      if (entry.waiting.length >= this.#limits.waiting) {
        reject(new Unavailable(`too many commands wait for ${entry.stream}`));
        return;
      }
      const left = timeLeft(this.#limits.patience);
      const { deadline = this.#machine.time.monotonic() + left } = request;
      if (request.deadline === undefined && left <= 0) {
        reject(new Unavailable('the call has taken its time'));
        return;
      }
      entry.waiting.push({
        command: request.command,
        context: request.context,
        cause: request.cause,
        read: request.read ?? false,
        deadline,
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
    this.#streams.occupy(entry);
    this.#machine.time.soon(() => void this.#drain(entry));
  }

  #release(entry: StreamEntry): void {
    entry.busy = false;
    entry.deciding = [];
    if (entry.waiting.length > 0) {
      this.#wake(entry);
    } else {
      this.#streams.rest(entry);
    }
  }

  // 2. Check and load.
  async #drain(entry: StreamEntry): Promise<void> {
    try {
      while (entry.waiting.length > 0) {
        if (!this.#trusts(entry.stream)) await this.#guard.passed(entry.stream);
        const { current } = entry;
        if (!current) await this.#load(entry);
        await this.#decide(entry, !current);
      }
    } catch (error) {
      this.#failEntry(entry, error);
    } finally {
      this.#release(entry);
    }
  }

  /**
   * Reads what the log has of a stream behind what is known of it.
   * @throws Unavailable where something was found of the stream meanwhile
   */
  async #load(entry: StreamEntry): Promise<void> {
    for (;;) {
      const from = entry.revision + 1;
      const page = await this.#log.readStream(entry.stream, from, LOAD_PAGE);
      entry.takeAll(page.map((event) => this.#codec.decode(event)));
      this.#noteSeen(page.at(-1)?.position);
      if (page.length < LOAD_PAGE) break;
      await this.#machine.time.turn();
    }
    entry.loaded = true;
    if (!this.#trusts(entry.stream)) await this.#guard.passed(entry.stream);
  }

  // 3. Decide.
  /** @param current whether the stream was read just now */
  async #decide(entry: StreamEntry, current: boolean): Promise<void> {
    const now = this.#clock.now();
    const { decided, bytes } = decideWaiting(entry, now, this.#ids);
    const commands = commandsOf(decided);
    entry.deciding = commands.map((command) => command.pending);
    const owned = commands.flatMap((owner) =>
      owner.events.map((event, index): OwnedEvent => ({ event, after: owner.states[index], owner })),
    );
    if (owned.length === 0 && !current && (await this.#hasNewEvents(entry))) {
      entry.waiting.unshift(...entry.deciding);
      // On what was read just now: where others write all the time, each further look would find more of it.
      return this.#decide(entry, true);
    }
    let at = 0;
    for (const piece of splitAppend(
      owned.map(({ event }) => event),
      bytes,
    )) {
      const conflict = await this.#append(entry, owned.slice(at, at + piece.length));
      if (conflict !== undefined) {
        this.stats.conflicts += 1;
        const undone = commands.filter(
          (command) => command.written < command.events.length || command.events.length === 0,
        );
        entry.waiting.unshift(...undone.map((command) => command.pending));
        for (const command of commands) if (!undone.includes(command)) settle(command);
        // The wait comes first: what is decided next is decided on what is there after it.
        await this.#machine.time.pause(this.#machine.randomness.fraction() * 5);
        await this.#load(entry);
        return this.#passUnread(entry, conflict);
      }
      at += piece.length;
    }
    // 7. Answer.
    for (const command of commands) settle(command);
  }

  /**
   * After a conflict, when the stream was read to its end: what the log counts beyond that nobody can read. It is known, and
   * accepted, to be missing, or it is a finding if it stays: a node that led may have told of what is taken back.
   * @param conflict the last revision by the log's answer
   * @throws Unavailable once it is a finding
   */
  async #passUnread(entry: StreamEntry, conflict: number): Promise<void> {
    const unread = unreadFinding(entry.stream, entry.revision, conflict);
    if (unread === undefined) {
      entry.unread = undefined;
      return;
    }
    if (entry.unread?.code !== unread.code) entry.unread = { code: unread.code, since: this.#machine.time.monotonic() };
    if (!this.#guard.lacks(unread)) {
      if (this.#machine.time.monotonic() - entry.unread.since < this.#limits.unread)
        return this.#machine.time.pause(UNREAD_PAUSE);
      await this.#guard.heed(unread, entry.stream);
    }
    entry.unread = undefined;
    entry.revision = conflict;
  }

  /**
   * Whether another process has written to a stream since. An append finds that out by itself; a refusal, and a word that
   * it is so already, must not rest on a state that is older than the log.
   */
  async #hasNewEvents(entry: StreamEntry): Promise<boolean> {
    const { revision } = entry;
    await this.#load(entry);
    return entry.revision !== revision;
  }

  /**
   * Writes one piece with the followers that can join it.
   * @returns on a conflict, after which nothing of it is written, the stream's last revision
   */
  async #append(entry: StreamEntry, owned: readonly OwnedEvent[]): Promise<number | undefined> {
    const joined: JoinedFollower[] = [];
    /** The followers that are still to be written, in order. */
    const open = new Set<Follower>();
    let written = false;
    try {
      // 4. Join followers.
      for (const { event, owner } of owned) {
        if (owner.pending.cause !== undefined) continue;
        const cause = { causation: causationOf(event), time: event.metadata.time };
        for (const directive of this.#followersOf(entry.decider.category, event)) {
          const follower = { directive, cause, owner };
          open.add(follower);
          const part = this.#joinAppend(follower);
          if (part !== undefined) joined.push(part);
        }
      }
      // 5. Append.
      this.stats.appends += 1;
      const list: [Append, ...Append[]] = [
        toAppend(owned.map(({ event }) => event)),
        ...joined.map(({ events }) => toAppend(events)),
      ];
      const seen = this.#seen;
      const results = await appendUntilKnown(
        this.#log,
        list,
        this.#stop.signal,
        this.#limits.repeatAfter,
        this.#machine,
      );
      await this.#checkResults(list, results, seen);
      const [decision] = results;
      if (decision?.kind !== 'written') return decision?.kind === 'conflict' ? decision.actual : NO_STREAM;
      // 6. Take.
      written = true;
      for (const { event, after, owner } of owned) {
        entry.take(event, after);
        owner.written += 1;
        owner.position = decision.position;
      }
      joined.forEach(({ follower, target, events }, index) => {
        const result = results[index + 1];
        if (result?.kind !== 'written') {
          target.forget();
          return;
        }
        for (const event of events) target.take(event);
        target.loaded = true;
        follower.owner.followers.push(...events);
        follower.owner.position = result.position;
        open.delete(follower);
      });
    } finally {
      for (const { target } of joined) {
        if (!written) target.forget();
        this.#release(target);
      }
    }
    for (const follower of open) {
      const late = this.#writeFollower(follower);
      // Told to the caller when its command is settled, which may be long after this, or never.
      late.catch(() => undefined);
      follower.owner.late.push(late);
    }
    return undefined;
  }

  /**
   * Takes answers for true unless they contradict what is known of the log.
   * @param seen the furthest position that was seen before the list was first sent
   * @throws Unavailable when they do: nothing more is decided
   */
  async #checkResults(list: readonly Append[], results: readonly AppendResult[], seen: Position): Promise<void> {
    for (const [index, append] of list.entries()) {
      const result = results[index];
      if (result === undefined) continue;
      await this.#guard.heed(contradictionIn(append, result, seen), append.stream);
      if (result.kind === 'written') this.#noteSeen(result.position);
    }
  }

  #noteSeen(position: Position = 0n): void {
    if (position > this.#seen) this.#seen = position;
  }

  /** Whether a stream may be decided on without asking the guard. */
  #trusts(stream: string): boolean {
    return this.#guard.open && !this.#guard.refuses(stream);
  }

  #followersOf(category: string, event: Decided): readonly Directive[] {
    const handler = this.#followers.get(category)?.on[event.type];
    return handler === undefined ? [] : handler(event as Decided<never>);
  }

  /**
   * Takes a follower into its decision's append: its stream must be idle. One that is not known is taken to be new; if it
   * is not, the log says so, and the follower goes through its queue.
   */
  #joinAppend(follower: Follower): JoinedFollower | undefined {
    const { directive, cause, owner } = follower;
    const target = this.#streams.entry(directive.decider, streamOf(directive));
    if (target.busy || target.waiting.length > 0 || !this.#trusts(target.stream)) return undefined;
    const events = decideDirective(target, directive, { ...owner.pending, cause }, this.#ids);
    if (events === undefined || splitAppend(events).length > 1) return undefined;
    this.#streams.occupy(target);
    return { follower, target, events };
  }

  async #writeFollower({ directive, cause, owner }: Follower): Promise<void> {
    const { context, deadline } = owner.pending;
    const outcome = await this.#direct(directive, { context, cause, deadline });
    const { events } = outcome;
    // None: it is there already, written by a copy whose answer was lost.
    owner.followers.push(...(events.length > 0 ? events : await this.#eventsCausedBy(directive, cause)));
    owner.position = outcome.position ?? owner.position;
  }

  /** The events at the end of a follower's stream that a decision has caused. */
  async #eventsCausedBy(directive: Directive, { causation }: Cause): Promise<readonly Recorded[]> {
    const { stream, revision } = this.#streams.entry(directive.decider, streamOf(directive));
    const tail = await this.#log.readStream(stream, Math.max(0, revision + 1 - TAIL), TAIL);
    return tail.filter(({ metadata }) => metadata.causation === causation).map((event) => this.#codec.decode(event));
  }

  /** The stream cannot be worked on: its callers are told, and the next command begins anew. */
  #failEntry(entry: StreamEntry, error: unknown): void {
    if (error instanceof LogFailed) {
      this.#failed ??= new Unavailable('the event log has failed; the service must be restarted', 10);
      this.#streams.forgetIdle();
      for (const active of this.#streams.active) {
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
  #rejectOverdue(): void {
    const now = this.#machine.time.monotonic();
    for (const entry of this.#streams.active) {
      const late = [...entry.deciding, ...entry.waiting].filter((each) => each.deadline <= now);
      this.#reject(late, new Unavailable(`${entry.stream} is busy`));
      entry.waiting = entry.waiting.filter((each) => !each.settled);
    }
  }
}
