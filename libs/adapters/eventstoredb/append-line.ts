import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Timer } from '#eventsourcing';
import { outcomeIn, TooLate } from './append-outcomes.js';
import { nameOf } from './connection-string.js';
import { answeredId, appendMessage, type Deadline } from './messages.js';
import type { AppendCall } from './node-calls.js';
import { collect } from './leader-reads.js';
import {
  type AppendAnswer,
  type AppendConnection,
  type OutgoingEvent,
  type Reads,
  ServerRefusal,
  StreamDeleted,
} from './server.js';
import type { Instant } from '#kernel';
import { ServerReads } from './server-reads.js';
import type { ServerNode } from './server-node.js';

/** A line that is silent for this time, in milliseconds, while appends wait for answers, is dead. */
const SILENT_FOR = 5_000;
/**
 * An append without an answer counts as lost this long after the server's own deadline for it, in milliseconds: the server
 * checks deadlines every 2 s. Its line continues for the others.
 */
const AFTER_DEADLINE = 4_000;
/** How long the server may take to judge an instant, in milliseconds. */
const JUDGED_WITHIN = 2_000;
/** Milliseconds between two checks of that. */
const LOOK_EVERY = 250;
/** After so many appends in a row that the server has not carried out within their time limits, the line is left for another one. */
const MOST_LATE = 3;

interface Pending {
  readonly stream: string;
  readonly since: number;
  readonly until: number;
  readonly resolve: (answer: AppendAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The long call that carries appends one after another; each gets its own answer. When the call ends, all waiting appends
 * end.
 */
export class AppendLine implements AppendConnection {
  readonly reads: Reads;
  readonly #call: AppendCall;
  readonly #pending = new Map<string, Pending>();
  readonly #ended = new AbortController();
  #lastAnswerAt = 0;
  #watch: Timer | undefined;
  #over: Error | undefined;
  #retired = false;
  /** Appends in a row that were answered as late. */
  #late = 0;

  /** @param whenEnded called once, when the line carries no more appends */
  constructor(
    readonly node: ServerNode,
    private readonly whenEnded: (error: unknown) => void,
  ) {
    this.reads = new ServerReads({ read: (request, within) => collect(node, request, within) });
    this.#call = node
      .appends()
      .on('data', (answer: BatchAppendResp) => this.#answered(answer))
      .on('error', (error: Error) => this.#end(error))
      .on('end', () => this.#end(new Error('the server ended the call for appends')));
    node.ending.addEventListener('abort', () => this.#end(new Error('the node was given up')), { once: true });
  }

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  get server(): string {
    return nameOf(this.node.host);
  }

  /** Whether the server answers again and again that appends are late: another node may do better. */
  get isLate(): boolean {
    return this.#late >= MOST_LATE;
  }

  /**
   * Rejects with an error of any kind if the outcome is unknown.
   * @param within how long the server may take, in milliseconds
   */
  async send(
    stream: string,
    expected: number,
    events: readonly OutgoingEvent[],
    within: number,
  ): Promise<AppendAnswer> {
    try {
      const answer = await this.#send(stream, expected, events, { within }, within + AFTER_DEADLINE);
      this.#late = 0;
      return answer;
    } catch (error) {
      if (error instanceof TooLate) this.#late += 1;
      throw error;
    }
  }

  async isPast(instant: Instant, stream: string): Promise<boolean> {
    const event = { id: this.node.machine.randomness.uuid(), type: 'asked', data: {} };
    try {
      await this.#send(stream, Number.MAX_SAFE_INTEGER, [event], { instant }, JUDGED_WITHIN);
      return false;
    } catch (error) {
      if (error instanceof TooLate) return true;
      // A refusal too says that it is not late.
      if (error instanceof ServerRefusal || error instanceof StreamDeleted) return false;
      throw error;
    }
  }

  #send(
    stream: string,
    expected: number,
    events: readonly OutgoingEvent[],
    deadline: Deadline,
    until: number,
  ): Promise<AppendAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#over !== undefined) return reject(this.#over);
      const { time, randomness } = this.node.machine;
      const id = randomness.uuid();
      const message = appendMessage(id, stream, expected, events, deadline);
      const since = time.monotonic();
      this.#pending.set(id, { stream, since, until: since + until, resolve, reject });
      this.#watch ??= time.every(LOOK_EVERY, () => this.#look());
      this.#call.write(message);
    });
  }

  /** Waits for the answers under way, and ends then. */
  retire(): void {
    this.#retired = true;
    if (this.#pending.size === 0) this.#end(new Error('the line is closed'));
  }

  #answered(answer: BatchAppendResp): void {
    this.#lastAnswerAt = this.node.machine.time.monotonic();
    const id = answeredId(answer);
    const pending = this.#pending.get(id);
    // The append's caller has already been rejected.
    if (pending === undefined) return;
    settle(pending, answer);
    this.#done(id);
  }

  #done(id: string): void {
    this.#pending.delete(id);
    if (this.#pending.size > 0) return;
    this.node.machine.time.cancel(this.#watch);
    this.#watch = undefined;
    if (this.#retired) this.#end(new Error('the line is closed'));
  }

  #look(): void {
    const now = this.node.machine.time.monotonic();
    const [oldest] = this.#pending.values();
    const silent = now - Math.max(this.#lastAnswerAt, oldest?.since ?? Infinity);
    if (silent > SILENT_FOR) return this.#end(new Error(`no answer to any append for ${Math.round(silent)} ms`));
    for (const [id, { until, reject }] of this.#pending) {
      if (until > now) continue;
      reject(new Error('no answer within its deadline'));
      this.#done(id);
    }
  }

  #end(error: Error): void {
    if (this.#over !== undefined) return;
    this.#over = error;
    this.node.machine.time.cancel(this.#watch);
    this.#call.cancel();
    // Whoever hears of the end gets another line.
    this.whenEnded(error);
    this.#ended.abort();
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

function settle({ stream, resolve, reject }: Pending, answer: BatchAppendResp): void {
  try {
    resolve(outcomeIn(answer, stream));
  } catch (error) {
    reject(error);
  }
}
