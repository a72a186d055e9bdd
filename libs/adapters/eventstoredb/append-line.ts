import { unpackToCommandError } from '@eventstore/db-client/dist/streams/appendToStream/unpackError.js';
import { ErrorType, isCommandError, WrongExpectedVersionError } from '@eventstore/db-client';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { NO_STREAM, type Timer } from '#eventsourcing';
import { answeredId, appendMessage } from './messages.js';
import type { AppendCall } from './node-calls.js';
import { collect } from './leader-reads.js';
import { type AppendAnswer, type AppendConnection, type OutgoingEvent, type Reads, StreamDeleted } from './server.js';
import { ServerReads } from './server-reads.js';
import type { ServerNode } from './server-node.js';

/** A line that is silent for this time, in milliseconds, while appends wait for answers, is dead. */
const SILENT_FOR = 5_000;
/**
 * An append without an answer counts as lost this long after the server's own deadline for it, in milliseconds: the server
 * checks deadlines every 2 s. Its line continues for the others.
 */
const AFTER_DEADLINE = 4_000;
/** Milliseconds between two checks of that. */
const LOOK_EVERY = 250;

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

  /**
   * Rejects with an error of any kind if the outcome is unknown.
   * @param deadline for the server, in milliseconds
   */
  send(stream: string, expected: number, events: readonly OutgoingEvent[], deadline: number): Promise<AppendAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#over !== undefined) return reject(this.#over);
      const { time, randomness } = this.node.machine;
      const id = randomness.uuid();
      const message = appendMessage(id, stream, expected, events, new Date(time.wall() + deadline));
      const since = time.monotonic();
      this.#pending.set(id, { stream, since, until: since + deadline + AFTER_DEADLINE, resolve, reject });
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

/** The server has answered without saying whether it wrote. Its words are the error of the append and of its line. */
export class NoOutcome extends Error {
  override name = 'NoOutcome';
}

function settle({ stream, resolve, reject }: Pending, answer: BatchAppendResp): void {
  const success = answer.getSuccess();
  const place = success?.getPosition();
  if (success !== undefined && place !== undefined) {
    const [revision, position] = [Number(success.getCurrentRevision()), BigInt(place.getCommitPosition())];
    return resolve({ kind: 'written', revision, position });
  }
  const status = answer.getError();
  if (status === undefined) return reject(new NoOutcome('the server named no position'));
  const error = unpackToCommandError(status, stream);
  if (error instanceof WrongExpectedVersionError) {
    const { actualVersion } = error;
    return resolve({ kind: 'conflict', actual: typeof actualVersion === 'bigint' ? Number(actualVersion) : NO_STREAM });
  }
  if (isCommandError(error) && error.type === ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED) {
    return reject(
      new RangeError(`an append to ${stream} is larger than the ${error.maxAppendSize} bytes that the server takes`),
    );
  }
  if (isCommandError(error) && error.type === ErrorType.STREAM_DELETED) {
    return reject(new StreamDeleted(`${stream} was deleted for ever`));
  }
  if (isCommandError(error) && error.type === ErrorType.UNKNOWN) return reject(new NoOutcome(error.message));
  reject(error);
}
