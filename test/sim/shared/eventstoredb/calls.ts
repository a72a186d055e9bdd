import { EventEmitter } from 'node:events';
import type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { CallOptions, Metadata } from '@grpc/grpc-js';
import type { AppendCall, LongCall, NodeCalls } from '#adapters/eventstoredb';
import type { Timer } from '#eventsourcing';
import { reset } from '../../../support/eventstoredb/errors.js';
import { answerTo } from '../../../support/eventstoredb/messages.js';
import { requiresLeader } from '../../../support/eventstoredb/node.js';
import { serving } from '../network.js';
import type { AppendOutcome, EventStore } from './event-store.js';
import type { EventStoreNode } from './event-store-node.js';
import type { Line, Way } from './line.js';
import { appendIn, readIn, subscriptionIn } from './messages.js';
import { ServerSubscription } from './subscription.js';

/** Codes of gRPC. */
const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;

const withCode = (message: string, code: number): Error => Object.assign(new Error(message), { code });

/** The calls of a simulated node over one simulated connection, as gRPC's client shows them. */
export class SimulatedCalls implements NodeCalls {
  readonly #line: Line;
  readonly #node: EventStoreNode;
  #closed = false;

  constructor(
    private readonly cluster: EventStore,
    way: Way,
  ) {
    this.#line = way.open();
    this.#node = way.node;
  }

  read(request: ReadReq, metadata: Metadata, { deadline }: CallOptions): LongCall<ReadResp> {
    this.#assertOpen();
    const subscription = subscriptionIn(request);
    const terms = { requiresLeader: requiresLeader(metadata), deadline: Number(deadline) };
    if (subscription === undefined) return new ReadCall(this.#line, this.#node, request, terms);
    const call = new SubscriptionCall(this.#line);
    call.begin(new ServerSubscription(this.#node, this.#line, { ...subscription, ...terms }, call));
    return call;
  }

  batchAppend(metadata: Metadata): AppendCall {
    this.#assertOpen();
    return new SimulatedAppendCall(this.#line, this.cluster, this.#node, requiresLeader(metadata));
  }

  close(): void {
    if (!this.#closed) this.#line.close();
    this.#closed = true;
  }

  #assertOpen(): void {
    if (this.#closed) throw new Error('Channel has been shut down');
  }
}

/** A call that ends once. */
class SimulatedCall<Answer> extends EventEmitter implements LongCall<Answer> {
  isOver = false;

  constructor(protected readonly line: Line) {
    super();
  }

  bring(answer: Answer): void {
    if (!this.isOver) this.emit('data', answer);
  }

  fail(error: Error): void {
    if (this.over()) this.emit('error', error);
  }

  end(): void {
    if (this.over()) this.emit('end');
  }

  cancel(): void {
    // The caller hears of it later, as with every error.
    if (this.over()) queueMicrotask(() => this.emit('error', withCode('Cancelled on client', CANCELLED)));
  }

  pause(): void {
    throw new Error('nobody pauses this call');
  }

  resume(): void {
    throw new Error('nobody pauses this call');
  }

  /** @returns whether it was not over yet */
  protected over(): boolean {
    const { isOver } = this;
    this.isOver = true;
    return !isOver;
  }
}

/** What a call demands besides its content. */
interface Terms {
  readonly requiresLeader: boolean;
  /** By the clock of the caller. */
  readonly deadline: number;
}

class ReadCall extends SimulatedCall<ReadResp> {
  readonly #deadline: Timer;

  constructor(line: Line, node: EventStoreNode, request: ReadReq, terms: Terms) {
    super(line);
    const { time } = line.life.machine;
    this.#deadline = time.after(terms.deadline - time.wall(), () =>
      this.fail(withCode('Deadline exceeded', DEADLINE_EXCEEDED)),
    );
    const asked = readIn(request);
    const read = (): readonly ReadResp[] => {
      if (terms.requiresLeader && node.refusal !== undefined) throw node.refusal;
      return node.read(asked);
    };
    // Whether the node leads, and where the log ends, is asked again and again.
    const isOften = asked.of === 'back' && asked.max === 1 && asked.names.length === 0;
    const answer = isOften ? line.look(read) : line.ask(serving(read));
    answer.then(
      (messages) => {
        for (const message of messages) this.bring(message);
        this.end();
      },
      (error: unknown) => this.fail(error as Error),
    );
  }

  protected override over(): boolean {
    this.line.life.machine.time.cancel(this.#deadline);
    return super.over();
  }
}

class SubscriptionCall extends SimulatedCall<ReadResp> {
  #subscription: ServerSubscription | undefined;

  begin(subscription: ServerSubscription): void {
    this.#subscription = subscription;
    subscription.begin();
  }

  override pause(): void {
    this.#subscription?.pause();
  }

  override resume(): void {
    this.#subscription?.resume();
  }

  protected override over(): boolean {
    this.#subscription?.leave();
    return super.over();
  }
}

class SimulatedAppendCall extends SimulatedCall<BatchAppendResp> implements AppendCall {
  readonly #leave: () => void;

  constructor(
    line: Line,
    private readonly cluster: EventStore,
    private readonly node: EventStoreNode,
    private readonly requiresLeader: boolean,
  ) {
    super(line);
    this.#leave = line.onBreak(() => this.fail(reset()));
  }

  write(request: BatchAppendReq): void {
    const { now } = this.cluster.world.scheduler;
    const append = { ...appendIn(request), sentAt: now };
    const { life } = this.line;
    const isOurs = this.cluster.ours.isNameOfOurs(append.stream);
    if (isOurs) this.cluster.noted.sends(append.stream, life);
    this.line
      .ask<AppendOutcome>((reply) => {
        const { refusal } = this.node;
        if (this.requiresLeader && refusal !== undefined && this.cluster.leader !== undefined) reply.error(refusal);
        else this.cluster.append(append, this.node, reply);
      })
      .then(
        (outcome) => {
          if (isOurs && !this.isOver && typeof outcome === 'object' && 'revision' in outcome)
            this.cluster.noted.told(life, BigInt(outcome.position ?? 0));
          this.bring(answerTo(request, outcome));
        },
        (error: unknown) => this.fail(error as Error),
      );
  }

  protected override over(): boolean {
    this.#leave();
    return super.over();
  }
}
