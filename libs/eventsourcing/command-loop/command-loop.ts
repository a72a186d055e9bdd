import {
  categoryOf,
  DomainError,
  Durations,
  streamName,
  streamOf,
  type Decided,
  type Decider,
  type EventBody,
  type Followers,
  type FollowUp,
  type Recorded,
  namedOnce,
} from '#kernel';
import { presentCall, timeLeft } from '../scheduling/call-deadline.js';
import { presentSpan } from '../scheduling/present-span.js';
import type { Codec } from '../events/codec.js';
import { Unavailable } from '../errors.js';
import { EventIds } from '../events/ids.js';
import type { Clock } from '../ports/clock.js';
import { AppendRefused, AppendWithdrawn, type EventLog, LogFailed, NO_STREAM } from '../ports/event-log.js';
import type { Machine } from '../ports/machine.js';
import type { Timer } from '../ports/time.js';
import { type SnapshotOptions, Snapshots } from '../snapshots/snapshots.js';
import type { DecisionGuard } from '../ports/decision-guard.js';
import type { AppendTraces } from './append-traces.js';
import { BatchAppender } from './batch-appender.js';
import { commandsOf, placeUnchanged, settle, type OwnedEvent } from './command.js';
import type { Cause, CommandContext, Outcome, StateAt } from './context.js';
import { splitAppend, decideWaiting } from './decide-waiting.js';
import { Facts } from './facts.js';
import { FollowerJoiner } from './follower-joiner.js';
import { LateFollowers } from './late-followers.js';
import { defaultLimits, type LoopLimits } from './limits.js';
import { SeenLog } from './seen-log.js';
import type { Pending, StreamEntry } from './stream-entry.js';
import { StreamLoader } from './stream-loader.js';
import { StreamTable } from './stream-table.js';
import { trusts } from './trusts.js';
import { UnfinishedAppends } from './unfinished-appends.js';
import { passUnread } from './unread-events.js';
import { reject, rejectOverdue } from './waiting-callers.js';

const SWEEP_EVERY = 250;
/** Milliseconds between two looks whether the appends under way have ended. */
const CLOSING_LOOKS_EVERY = 1;

export interface LoopStats {
  commands: number;
  appends: number;
  conflicts: number;
  /** Streams that were read, because their state was not in memory or not the newest. */
  loads: number;
}

/** What the caller passes with a command. */
type Request = Pick<Pending, 'command' | 'context'> & Partial<Pick<Pending, 'cause' | 'read' | 'deadline' | 'span'>>;

/**
 * Decides commands and writes their events. It decides the commands that wait for one stream one after another and appends
 * their events together, so a busy stream costs one sync per batch. It answers a command when everything that its decision
 * rests on is on disk. Followers in other streams join the same append if their state is known; otherwise they go through
 * the queues of their streams. README.md in this folder has the seven steps of a command and a picture of an entry's states.
 */
export class CommandLoop {
  readonly stats: LoopStats = { commands: 0, appends: 0, conflicts: 0, loads: 0 };
  /** How long commands and reads waited in line for their decision. */
  readonly waits = new Durations();
  readonly #log: Pick<EventLog, 'isOthers'>;
  readonly #clock: Clock;
  readonly #machine: Machine;
  readonly #ids: EventIds;
  readonly #limits: LoopLimits;
  readonly #followers: ReadonlyMap<string, Followers>;
  readonly #facts: Facts;
  readonly #guard: DecisionGuard;
  readonly #traces: AppendTraces | undefined;
  readonly #streams: StreamTable;
  readonly #snapshots: Snapshots | undefined;
  readonly #loader: StreamLoader;
  readonly #appender: BatchAppender;
  readonly #unfinished: UnfinishedAppends;
  readonly #stop = new AbortController();
  readonly #sweeper: Timer;
  #failed: Error | undefined;

  constructor(options: {
    readonly log: EventLog;
    readonly codec: Codec;
    readonly clock: Clock;
    readonly machine: Machine;
    readonly followers: readonly Followers[];
    /** The loop asks it before it decides. */
    readonly guard: DecisionGuard;
    readonly limits?: Partial<LoopLimits>;
    /** Without it, every load reads the whole stream. */
    readonly snapshots?: SnapshotOptions;
    /** Set if appends are traced. */
    readonly traces?: AppendTraces | undefined;
  }) {
    const { log, codec, machine, guard } = options;
    const { time } = machine;
    this.#log = log;
    this.#clock = options.clock;
    this.#machine = machine;
    this.#ids = new EventIds(machine.randomness);
    this.#guard = guard;
    this.#traces = options.traces;
    this.#limits = { ...defaultLimits(machine.memory), ...options.limits };
    this.#followers = namedOnce('tables of followers', options.followers, ({ category }) => category);
    this.#facts = new Facts(log, codec, this.#limits.facts);
    if (options.snapshots !== undefined) this.#snapshots = new Snapshots({ ...options.snapshots, log, guard, time });
    this.#streams = new StreamTable(this.#limits.cached, (decider) => this.#snapshots?.everyOf(decider));
    const seen = new SeenLog(guard);
    this.#loader = new StreamLoader({ log, codec, guard, seen, time, snapshots: this.#snapshots });
    const release = (entry: StreamEntry): void => this.#release(entry);
    const late = new LateFollowers({
      log,
      codec,
      streams: this.#streams,
      direct: (directive, request) => this.#direct(directive, request),
    });
    this.#unfinished = new UnfinishedAppends({ seen, time, late, release });
    this.#appender = new BatchAppender({
      log,
      machine,
      limits: this.#limits,
      seen,
      joiner: new FollowerJoiner({ streams: this.#streams, facts: this.#facts, guard, ids: this.#ids }),
      late,
      unfinished: this.#unfinished,
      stop: this.#stop.signal,
      stats: this.stats,
      traces: options.traces,
      followersOf: (decision) => this.followersOf(decision),
      release,
    });
    this.#sweeper = this.#machine.time
      .every(SWEEP_EVERY, () =>
        rejectOverdue([...this.#streams.active, ...this.#unfinished.waiting], this.#machine.time.monotonic()),
      )
      .unref();
  }

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
    this.stats.commands += 1;
    const entry = this.#streams.entry(decider, streamName(decider.category, id));
    return this.#enqueue(entry, { command, context }) as Promise<Outcome<S, E>>;
  }

  /** Runs a directive of a work list; with a cause, it runs as a follower of that decision. */
  direct(directive: FollowUp, context: CommandContext, cause?: Cause): Promise<Outcome<unknown, EventBody>> {
    return this.#direct(directive, { context, cause });
  }

  /** The state of an aggregate as it is on disk; the initial state if the stream does not exist. */
  async read<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string): Promise<S> {
    return (await this.readAt(decider, id)).state;
  }

  /** The same, with the place of its last event. */
  async readAt<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string): Promise<StateAt<S>> {
    const entry = this.#streams.entry(decider, streamName(decider.category, id));
    if (entry.current && this.#failed === undefined && trusts(this.#guard, entry.stream))
      return { state: entry.state as S, last: entry.last };
    return this.#read(entry);
  }

  /**
   * The state as this process knows it, without a wait: while the log is in doubt, too. Only for what may rest on it as on a view.
   * @returns undefined if the stream is not in memory, or if the log is known to have newer events of it
   */
  known<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string): S | undefined {
    const entry = this.#streams.peek(streamName(decider.category, id));
    return entry?.current === true ? (entry.state as S) : undefined;
  }

  /** A revision that the stream has, without a wait: the last one that this process knows; -1 if it knows none. */
  knownRevision({ category }: { readonly category: string }, id: string): number {
    return this.#streams.peek(streamName(category, id))?.revision ?? NO_STREAM;
  }

  /** The state of an aggregate, read from the log now: this process may not yet know what another one has just written. */
  async readNow<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string): Promise<S> {
    return (await this.readNowAt(decider, id)).state;
  }

  /** The same, with the place of its last event. */
  readNowAt<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string): Promise<StateAt<S>> {
    return this.#read(this.#streams.entry(decider, streamName(decider.category, id)));
  }

  /**
   * Refuses a stream that another program has begun. Call it before the first change of a request that begins several
   * streams; the loop itself refuses the one that it begins.
   * @throws DomainError stream_of_others
   */
  async assertOwn({ category }: { readonly category: string }, id: string): Promise<void> {
    const stream = streamName(category, id);
    const entry = this.#streams.peek(stream);
    if (entry === undefined || entry.revision === NO_STREAM) await this.#refuseOthers(stream);
  }

  async #refuseOthers(stream: string): Promise<void> {
    if ((await this.#log.isOthers?.(stream)) !== true) return;
    throw new DomainError(
      'stream_of_others',
      `another program uses the name ${stream} on the event log’s server: choose another id`,
    );
  }

  async #read<S>(entry: StreamEntry): Promise<StateAt<S>> {
    const context = { commandId: '', correlation: '', actor: '' };
    const { state, last } = await this.#enqueue(entry, { command: undefined, context, read: true });
    return { state: state as S, last };
  }

  /**
   * Reads the stream again before its next use, because the log has this revision. Processes that share a log call this for
   * every event. It is only a hint: every decision is appended on the revision that it knew, or has read the stream's end.
   */
  outdate({ stream, revision }: Pick<Recorded, 'stream' | 'revision'>): void {
    this.#streams.outdate(stream, revision);
  }

  /** The commands that wait in line now, those whose events are being written included; and the bytes of the streams in memory. */
  get load(): { readonly commands: number; readonly streams: number; readonly bytes: number } {
    const { active, weight } = this.#streams;
    const commands = active.reduce((sum, { waiting, deciding }) => sum + waiting.length + deciding.length, 0);
    return { commands, streams: active.length, bytes: weight };
  }

  /** Whether this loop decided the event with this id. */
  hasDecided(eventId: string): boolean {
    return this.#ids.has(eventId);
  }

  /** What follows from a decision in other streams. */
  followersOf(decision: Pick<Decided, 'stream' | 'type' | 'data'>): readonly FollowUp[] {
    const handler = this.#followers.get(categoryOf(decision.stream))?.on[decision.type];
    return handler === undefined ? [] : handler(decision as Decided<never>);
  }

  /** Ends after the appends under way. The loop refuses new commands. */
  async close(): Promise<void> {
    this.#failed ??= new Unavailable('the service is stopping');
    this.#machine.time.cancel(this.#sweeper);
    for (const entry of this.#streams.active) reject(entry.waiting.splice(0), this.#failed);
    this.#stop.abort();
    while (this.#streams.active.some((entry) => entry.busy)) await this.#machine.time.pause(CLOSING_LOOKS_EVERY);
    await this.#snapshots?.close(this.#streams.all);
  }

  /** Makes the snapshots anew that another build has left, as long as this one runs. */
  async renewSnapshots(): Promise<void> {
    await this.#snapshots?.renew((decider, id) => this.read(decider, id));
  }

  #direct(followUp: FollowUp, request: Omit<Request, 'command'>): Promise<Outcome<unknown, EventBody>> {
    const directive = this.#facts.known(followUp);
    if (directive === undefined) return this.#facts.read(followUp).then((whole) => this.#direct(whole, request));
    const entry = this.#streams.entry(directive.decider, streamOf(directive));
    return this.#enqueue(entry, { command: directive.command, ...request });
  }

  // 1. Wait.
  #enqueue(entry: StreamEntry, request: Request): Promise<Outcome<unknown, EventBody>> {
    return new Promise((resolve, refuse) => {
      if (this.#failed !== undefined) {
        refuse(this.#failed);
        return;
      }
      if (entry.waiting.length >= this.#limits.waiting) {
        refuse(new Unavailable(`too many commands wait for ${entry.stream}`));
        return;
      }
      const left = timeLeft(this.#limits.patience);
      const since = this.#machine.time.monotonic();
      const { deadline = since + left } = request;
      if (request.deadline === undefined && left <= 0) {
        refuse(new Unavailable('the time of the call is over'));
        return;
      }
      entry.waiting.push({
        command: request.command,
        context: request.context,
        cause: request.cause,
        read: request.read ?? false,
        since,
        deadline,
        call: presentCall(),
        span: this.#traces === undefined ? undefined : (request.span ?? presentSpan()),
        looked: false,
        settled: false,
        resolve,
        reject: refuse,
      });
      this.#wake(entry);
    });
  }

  /** Begins to work on a stream at the end of this turn of the event loop, so that all commands of the turn are waiting. */
  #wake(entry: StreamEntry): void {
    if (entry.busy) return;
    this.#streams.occupy(entry);
    this.#machine.time.soon(() => void this.#drain(entry));
  }

  #release(entry: StreamEntry): void {
    entry.busy = false;
    entry.deciding = [];
    this.#snapshots?.offer(entry);
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
        if (!trusts(this.#guard, entry.stream)) await this.#guard.passed(entry.stream);
        if (!entry.current) {
          this.stats.loads += 1;
          await this.#loader.load(entry);
        }
        await this.#decide(entry).catch((error: unknown) => goOnWithout(entry, error));
        this.#snapshots?.offer(entry);
      }
    } catch (error) {
      this.#failEntry(entry, error);
    } finally {
      this.#release(entry);
    }
  }

  // 3. Decide.
  async #decide(entry: StreamEntry): Promise<void> {
    const now = this.#clock.now();
    const { decided, bytes } = decideWaiting(entry, now, this.#ids);
    const commands = commandsOf(decided);
    const begun = this.#machine.time.monotonic();
    for (const { pending } of commands) this.waits.note(begun - pending.since);
    entry.deciding = commands.map((command) => command.pending);
    const owned = commands.flatMap((owner) =>
      owner.events.map((event, index): OwnedEvent => ({
        event,
        size: owner.sizes[index],
        after: owner.states[index],
        owner,
      })),
    );
    if (owned.length === 0) {
      // One look is enough for each command: under constant writes by others, each further one would find more.
      placeUnchanged(commands, entry);
      for (const command of commands) if (command.pending.looked) settle(command);
      entry.deciding = entry.deciding.filter(({ looked }) => !looked);
      if (entry.deciding.length > 0 && (await this.#loader.hasNewEvents(entry))) {
        entry.waiting.unshift(...entry.deciding);
        return;
      }
    }
    let at = 0;
    const pieces = splitAppend(
      owned.map(({ event }) => event),
      bytes,
    );
    for (const piece of pieces) {
      const conflict = await this.#appender.append(entry, owned.slice(at, at + piece.length));
      if (conflict !== undefined) {
        this.stats.conflicts += 1;
        const undone = commands.filter(
          (command) => command.written < command.events.length || command.events.length === 0,
        );
        entry.waiting.unshift(...undone.map((command) => command.pending));
        for (const command of commands) if (!undone.includes(command)) settle(command);
        // The pause comes first, so that the next decision sees everything that was written during it.
        await this.#machine.time.pause(this.#machine.randomness.fraction() * 5);
        await this.#loader.load(entry);
        if (entry.revision === NO_STREAM) await this.#refuseOthers(entry.stream);
        const { time } = this.#machine;
        return passUnread(entry, conflict, { guard: this.#guard, time, patience: this.#limits.unread });
      }
      at += piece.length;
    }
    // 7. Answer.
    placeUnchanged(commands, entry, pieces.length);
    for (const command of commands) settle(command);
  }

  /** Rejects the callers of a stream that cannot be worked on. The next command begins anew. */
  #failEntry(entry: StreamEntry, error: unknown): void {
    if (error instanceof LogFailed) {
      this.#failed ??= new Unavailable('the event log has failed; the service must be restarted', 10);
      this.#streams.forgetIdle();
      for (const active of this.#streams.active) {
        reject([...active.deciding, ...active.waiting.splice(0)], this.#failed);
        active.forget();
      }
      return;
    }
    reject([...entry.deciding, ...entry.waiting.splice(0)], error);
    entry.forget();
  }
}

/**
 * Goes on with the next commands if an append was refused or withdrawn: nothing of it was written. What was withdrawn has no
 * callers left.
 * @throws any other error
 */
function goOnWithout(entry: StreamEntry, error: unknown): void {
  if (!(error instanceof AppendRefused || error instanceof AppendWithdrawn)) throw error;
  reject(entry.deciding, error);
  entry.deciding = [];
}
