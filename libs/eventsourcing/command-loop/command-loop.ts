import {
  categoryOf,
  causationOf,
  DomainError,
  streamName,
  streamOf,
  type Decided,
  type Decider,
  type EventBody,
  type Followers,
  type FollowUp,
  type Position,
  type Recorded,
  namedOnce,
} from '#kernel';
import { hasBegun, presentCall, timeLeft } from '../scheduling/call-deadline.js';
import type { Codec } from '../events/codec.js';
import { Unavailable } from '../errors.js';
import { EventIds } from '../events/ids.js';
import { later } from '../events/later.js';
import type { Clock } from '../ports/clock.js';
import {
  type Append,
  type AppendProgress,
  AppendRefused,
  type AppendResult,
  AppendWithdrawn,
  type EventLog,
  isLastPage,
  LogFailed,
  NO_STREAM,
} from '../ports/event-log.js';
import type { Machine } from '../ports/machine.js';
import type { Timer } from '../ports/time.js';
import { Slices } from '../scheduling/slices.js';
import { type SnapshotOptions, Snapshots } from '../snapshots/snapshots.js';
import type { DecisionGuard } from '../ports/decision-guard.js';
import { appendUntilKnown } from './append-until-known.js';
import { contradictionIn } from './contradictions.js';
import { commandsOf, settle, type Follower, type JoinedFollower, type OwnedEvent } from './command.js';
import type { Cause, CommandContext, Outcome } from './context.js';
import { splitAppend, decideDirective, decideWaiting, toAppend } from './decide-waiting.js';
import { charactersOf } from './event-size.js';
import { Facts } from './facts.js';
import { defaultLimits, type LoopLimits } from './limits.js';
import type { Pending, StreamEntry } from './stream-entry.js';
import { StreamTable } from './stream-table.js';
import { passUnread } from './unread-events.js';
import { reject, rejectOverdue } from './waiting-callers.js';

const LOAD_PAGE = 1_000;
/** Events of a page after which other calls may have their turn: one event may have a thousand ids. */
const LOAD_PART = 20;
/** How many events from a stream's end the loop searches for a follower that was written a moment ago. */
const TAIL = 200;
const SWEEP_EVERY = 250;
/** Milliseconds between two looks whether the appends under way have ended. */
const CLOSING_LOOKS_EVERY = 1;
/** Milliseconds in which followers are joined, or taken, before other calls have their turn. */
const JOINED_IN_A_TURN = 3;

/** An append whose decision is written, and its followers not yet. */
interface Unfinished {
  readonly appended: Promise<readonly AppendResult[]>;
  readonly list: readonly Append[];
  /** The furthest position known before it was first sent. */
  readonly seen: Position;
  readonly joined: readonly JoinedFollower[];
  /** The followers that remain to be written. */
  readonly open: Set<Follower>;
}

export interface LoopStats {
  commands: number;
  appends: number;
  conflicts: number;
}

/** What the caller passes with a command. */
type Request = Pick<Pending, 'command' | 'context'> & Partial<Pick<Pending, 'cause' | 'read' | 'deadline'>>;

/**
 * Decides commands and writes their events. It decides the commands that wait for one stream one after another and appends
 * their events together, so a busy stream costs one sync per batch. It answers a command when everything that its decision
 * rests on is on disk. Followers in other streams join the same append if their state is known; otherwise they go through
 * the queues of their streams. README.md in this folder has the seven steps of a command and a picture of an entry's states.
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
  readonly #facts: Facts;
  readonly #guard: DecisionGuard;
  readonly #streams: StreamTable;
  readonly #snapshots: Snapshots | undefined;
  readonly #stop = new AbortController();
  readonly #sweeper: Timer;
  /** Decisions that are written, and whose callers wait for many followers. */
  readonly #unfinished = new Set<Pick<StreamEntry, 'stream' | 'deciding' | 'waiting'>>();
  #failed: Error | undefined;
  /**
   * The furthest position that was acknowledged or read for a decision. Events that this process only followed do not count:
   * a server may take them back.
   */
  #seen: Position = 0n;

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
  }) {
    this.#log = options.log;
    this.#codec = options.codec;
    this.#clock = options.clock;
    this.#machine = options.machine;
    this.#ids = new EventIds(options.machine.randomness);
    this.#guard = options.guard;
    this.#limits = { ...defaultLimits(options.machine.memory), ...options.limits };
    this.#followers = namedOnce('tables of followers', options.followers, ({ category }) => category);
    this.#facts = new Facts(options.log, options.codec, this.#limits.facts);
    const { log, machine, snapshots } = options;
    if (snapshots !== undefined)
      this.#snapshots = new Snapshots({ ...snapshots, log, guard: this.#guard, time: machine.time });
    this.#streams = new StreamTable(this.#limits.cached, (decider) => this.#snapshots?.everyOf(decider));
    this.#sweeper = this.#machine.time
      .every(SWEEP_EVERY, () =>
        rejectOverdue([...this.#streams.active, ...this.#unfinished], this.#machine.time.monotonic()),
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
    const entry = this.#streams.entry(decider, streamName(decider.category, id));
    if (entry.current && this.#failed === undefined && this.#trusts(entry.stream)) return entry.state as S;
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
  readNow<C, S, E extends EventBody>(decider: Decider<C, S, E>, id: string): Promise<S> {
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

  async #read<S>(entry: StreamEntry): Promise<S> {
    const context = { commandId: '', correlation: '', actor: '' };
    return (await this.#enqueue(entry, { command: undefined, context, read: true })).state as S;
  }

  /**
   * Reads the stream again before its next use, because the log has this revision. Processes that share a log call this for
   * every event. It is only a hint: every decision is appended on the revision that it knew, or has read the stream's end.
   */
  outdate({ stream, revision }: Pick<Recorded, 'stream' | 'revision'>): void {
    this.#streams.outdate(stream, revision);
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
      const { deadline = this.#machine.time.monotonic() + left } = request;
      if (request.deadline === undefined && left <= 0) {
        refuse(new Unavailable('the time of the call is over'));
        return;
      }
      entry.waiting.push({
        command: request.command,
        context: request.context,
        cause: request.cause,
        read: request.read ?? false,
        deadline,
        call: presentCall(),
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
        if (!this.#trusts(entry.stream)) await this.#guard.passed(entry.stream);
        if (!entry.current) await this.#load(entry);
        await this.#decide(entry).catch((error: unknown) => goOnWithout(entry, error));
        this.#snapshots?.offer(entry);
      }
    } catch (error) {
      this.#failEntry(entry, error);
    } finally {
      this.#release(entry);
    }
  }

  /**
   * Reads the events of a stream after the last known one.
   * @throws Unavailable if the guard found something about the stream meanwhile
   */
  async #load(entry: StreamEntry): Promise<void> {
    // Not those that come from now on: the answer may already be older.
    for (const pending of [...entry.deciding, ...entry.waiting]) pending.looked = true;
    const slices = new Slices(this.#machine.time);
    if (!entry.loaded && entry.revision === NO_STREAM) await this.#snapshots?.restore(entry);
    for (;;) {
      const from = entry.revision + 1;
      const page = await this.#log.readStream(entry.stream, from, LOAD_PAGE);
      for (let at = 0; at < page.length; at += LOAD_PART) {
        if (slices.isOver) await slices.next();
        entry.takeAll(page.slice(at, at + LOAD_PART).map((event) => this.#codec.decode(event)));
      }
      const last = page.at(-1);
      if (last !== undefined) entry.reached(last.position, last.id);
      this.#noteSeen(last?.position);
      if (isLastPage(page, LOAD_PAGE)) break;
      await this.#machine.time.turn();
    }
    entry.loaded = true;
    if (!this.#trusts(entry.stream)) await this.#guard.passed(entry.stream);
  }

  // 3. Decide.
  async #decide(entry: StreamEntry): Promise<void> {
    const now = this.#clock.now();
    const { decided, bytes } = decideWaiting(entry, now, this.#ids);
    const commands = commandsOf(decided);
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
      for (const command of commands) if (command.pending.looked) settle(command);
      entry.deciding = entry.deciding.filter(({ looked }) => !looked);
      if (entry.deciding.length > 0 && (await this.#hasNewEvents(entry))) {
        entry.waiting.unshift(...entry.deciding);
        return;
      }
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
        // The pause comes first, so that the next decision sees everything that was written during it.
        await this.#machine.time.pause(this.#machine.randomness.fraction() * 5);
        await this.#load(entry);
        if (entry.revision === NO_STREAM) await this.#refuseOthers(entry.stream);
        const { time } = this.#machine;
        return passUnread(entry, conflict, { guard: this.#guard, time, patience: this.#limits.unread });
      }
      at += piece.length;
    }
    // 7. Answer.
    for (const command of commands) settle(command);
  }

  /**
   * Whether another process has written to the stream since. An append finds that out itself. A refusal, or an answer that
   * nothing changes, must not rest on a state that is older than the log.
   */
  async #hasNewEvents(entry: StreamEntry): Promise<boolean> {
    const { revision } = entry;
    await this.#load(entry);
    return entry.revision !== revision;
  }

  /**
   * Writes one part with the followers that can join it.
   * @returns the stream's last revision on a conflict, which leaves nothing of the part written
   */
  async #append(entry: StreamEntry, owned: readonly OwnedEvent[]): Promise<number | undefined> {
    const joined: JoinedFollower[] = [];
    /** The followers that remain to be written, in order. */
    const open = new Set<Follower>();
    let written = false;
    /** Whether the followers are finished later. */
    let isLeft = false;
    try {
      // 4. Join followers.
      const slices = new Slices(this.#machine.time, JOINED_IN_A_TURN);
      for (const { event, owner } of owned) {
        if (owner.pending.cause !== undefined) continue;
        const cause = { causation: causationOf(event), time: event.metadata.time };
        for (const directive of this.followersOf(event)) {
          if (slices.isOver) await slices.next();
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
      const decided = Promise.withResolvers<AppendResult>();
      const appended = appendUntilKnown(
        this.#log,
        list,
        this.#stop.signal,
        this.#limits.repeatAfter,
        this.#machine,
        this.#progressOf(owned, list, decided.resolve),
      );
      const early = list.length > this.#limits.many ? await first(decided.promise, appended) : undefined;
      if (early?.kind === 'written') {
        // The next commands of the stream need not wait for the followers of these.
        isLeft = true;
        this.#finishLater({ appended, list, seen, joined, open }, entry, owned);
        await this.#checkResults(list, [early], seen);
        this.#take(entry, owned, early.position);
        return undefined;
      }
      const results = await appended;
      await this.#checkResults(list, results, seen);
      const [decision] = results;
      if (decision?.kind !== 'written') return decision?.kind === 'conflict' ? decision.actual : NO_STREAM;
      // 6. Take.
      written = true;
      this.#take(entry, owned, decision.position);
      joined.forEach((part, index) => this.#takeFollower(part, results[index + 1], open));
    } finally {
      for (const { target } of isLeft ? [] : joined) {
        if (!written) target.forget();
        this.#release(target);
      }
    }
    for (const follower of open) follower.owner.late.push(this.#lateFollower(follower));
    return undefined;
  }

  #take(entry: StreamEntry, owned: readonly OwnedEvent[], position: Position): void {
    for (const { event, size, after, owner } of owned) {
      const characters = charactersOf(event, size);
      entry.take(event, after, characters);
      owner.pending.context.meter?.wrote(characters);
      owner.written += 1;
      owner.position = later(owner.position, position);
    }
    const last = owned.at(-1);
    if (last !== undefined) entry.reached(position, last.event.id);
  }

  /** @param open the followers that remain to be written: one that is on disk is taken out */
  #takeFollower(
    { follower, target, events }: JoinedFollower,
    result: AppendResult | undefined,
    open: Set<Follower>,
  ): void {
    const { owner } = follower;
    if (result?.kind === 'refused') follower.refusal = result.refusal;
    if (result?.kind !== 'written') {
      target.forget();
      return;
    }
    for (const event of events) {
      const characters = charactersOf(event);
      target.take(event, undefined, characters);
      owner.pending.context.meter?.wrote(characters);
    }
    const last = events.at(-1);
    if (last !== undefined) target.reached(result.position, last.id);
    target.loaded = true;
    owner.followers.push(...events);
    owner.position = later(owner.position, result.position);
    open.delete(follower);
  }

  /** Answers the callers of decisions that are written when their many followers are, too. */
  #finishLater(parts: Unfinished, { stream }: StreamEntry, owned: readonly OwnedEvent[]): void {
    const owners = new Set(owned.map(({ owner }) => owner));
    const finished = this.#finish(parts);
    const waiting = { stream, deciding: [...owners].map(({ pending }) => pending), waiting: [] };
    this.#unfinished.add(waiting);
    const over = (): void => void this.#unfinished.delete(waiting);
    finished.then(over, over);
    for (const owner of owners) {
      const late = finished.then((lates) => Promise.all(lates.get(owner) ?? []));
      late.catch(() => undefined);
      owner.late.push(late);
    }
  }

  /** @returns the followers that go through the queues of their streams, by their owner */
  async #finish({ appended, list, seen, joined, open }: Unfinished): Promise<ReadonlyMap<unknown, Promise<void>[]>> {
    const taken = new Set<JoinedFollower>();
    try {
      const results = await appended;
      await this.#checkResults(list, results, seen);
      const slices = new Slices(this.#machine.time, JOINED_IN_A_TURN);
      for (const [index, part] of joined.entries()) {
        if (slices.isOver) await slices.next();
        this.#takeFollower(part, results[index + 1], open);
        taken.add(part);
        this.#release(part.target);
      }
    } finally {
      for (const part of joined) {
        if (taken.has(part)) continue;
        part.target.forget();
        this.#release(part.target);
      }
    }
    const lates = new Map<unknown, Promise<void>[]>();
    for (const follower of open) {
      const own = lates.get(follower.owner) ?? [];
      own.push(this.#lateFollower(follower));
      lates.set(follower.owner, own);
    }
    return lates;
  }

  /** Writes a follower through the queue of its stream, unless it was refused: another try would be refused, too. */
  #lateFollower(follower: Follower): Promise<void> {
    const { refusal } = follower;
    const late = refusal === undefined ? this.#writeFollower(follower) : Promise.reject(refusal);
    // `settle` passes the failure to the caller, perhaps much later or never.
    late.catch(() => undefined);
    return late;
  }

  /**
   * An append of decisions whose callers have all been rejected is not begun; a follower is, because its decision is written. One
   * with many lists of events gives its callers more time once it begins.
   */
  #progressOf(
    owned: readonly OwnedEvent[],
    { length }: readonly Append[],
    decided: (result: AppendResult) => void,
  ): AppendProgress {
    const waiting = new Set(owned.map(({ owner: { pending } }) => pending));
    return {
      waits: () => undefined,
      isWanted: () => [...waiting].some(({ settled, cause }) => !settled || cause !== undefined),
      begins: () => {
        if (length <= this.#limits.many) return;
        const until = this.#machine.time.monotonic() + this.#limits.begun - this.#limits.patience;
        for (const pending of waiting) {
          hasBegun(pending.call);
          pending.deadline = Math.max(pending.deadline, until);
        }
      },
      decided,
      answered: () => undefined,
    };
  }

  /**
   * Compares the answers with what is known of the log.
   * @param seen the furthest position known before the list was first sent
   * @throws Unavailable if an answer contradicts it: the loop decides nothing more
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

  /** Whether the loop may decide on a stream without asking the guard. */
  #trusts(stream: string): boolean {
    return this.#guard.open && !this.#guard.refuses(stream);
  }

  /**
   * Adds a follower to its decision's append. Its stream must be idle. The loop assumes that an unknown stream is new if the
   * follower begins it; if it is not, the log answers with a conflict and the follower goes through its queue. No other
   * follower is decided without its stream: a server that has hidden all events of a stream writes to it as to a new one. A
   * follower that lacks a fact which must be read first comes later, too: the decision does not wait for that.
   */
  #joinAppend(follower: Follower): JoinedFollower | undefined {
    const { cause, owner } = follower;
    const directive = this.#facts.known(follower.directive);
    if (directive === undefined) return undefined;
    const target = this.#streams.entry(directive.decider, streamOf(directive));
    if (target.busy || target.waiting.length > 0 || !this.#trusts(target.stream)) return undefined;
    if (target.revision === NO_STREAM && !directive.begins) return undefined;
    const events = decideDirective(target, directive, { ...owner.pending, cause }, this.#ids);
    if (events === undefined || splitAppend(events).length > 1) return undefined;
    this.#streams.occupy(target);
    return { follower, target, events };
  }

  async #writeFollower({ directive, cause, owner }: Follower): Promise<void> {
    const { context, deadline } = owner.pending;
    const outcome = await this.#direct(directive, { context, cause, deadline });
    owner.position = later(owner.position, outcome.position);
    if (outcome.events.length > 0) {
      owner.followers.push(...outcome.events);
      return;
    }
    // A copy whose answer was lost may have written the follower already.
    const there = await this.#eventsCausedBy(directive, cause);
    owner.followers.push(...there);
    owner.position = later(owner.position, there.at(-1)?.position);
  }

  /** The events at the end of a follower's stream that this decision caused. */
  async #eventsCausedBy(directive: FollowUp, { causation }: Cause): Promise<readonly Recorded[]> {
    const { stream, revision } = this.#streams.entry(directive.decider, streamOf(directive));
    const tail = await this.#log.readStream(stream, Math.max(0, revision + 1 - TAIL), TAIL);
    return tail.filter(({ metadata }) => metadata.causation === causation).map((event) => this.#codec.decode(event));
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

/** The result of a list's decision if it is known before the rest; undefined if it is not. */
function first(decided: Promise<AppendResult>, all: Promise<unknown>): Promise<AppendResult | undefined> {
  return Promise.race([decided, all.then(() => undefined)]);
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
