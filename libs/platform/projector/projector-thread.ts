import { Worker } from 'node:worker_threads';
import {
  type FedBatch,
  type Finding,
  type OrderOutcome,
  type ProjectionOrder,
  type Projections,
  type ProjectorReport,
  type Time,
  Unavailable,
  type ViewDamage,
  type WorkTimers,
  type AcceptedLoss,
} from '#eventsourcing';
import type { Position } from '#kernel';
import { PaceSignals, type SeenBefore } from '#eventsourcing/projections';
import type { Engines } from '../engines/engines.js';
import { EndedBuilds } from './ended-builds.js';

export interface ProjectorThreadData {
  readonly locations: Engines['locations'];
  /** Which written rows of work lists the thread reports. */
  readonly dueRows: WorkTimers['wants'];
  readonly accepted: AcceptedLoss;
  /** Whether it tells of each batch, for a trace. */
  readonly traced: boolean;
  /** How far the projector before had come when it broke. */
  readonly seenBefore: readonly SeenBefore[];
  /** The memory of its `PaceSignals`; absent if nobody shares it. */
  readonly signals?: SharedArrayBuffer;
}

/**
 * `look`: something was appended. `hurry`: a reader waits for the views. `close`: stop after the current batch. `damage`: a
 * reader cannot read a generation. Otherwise an order; its answer has the same number.
 */
export type ProjectorRequest =
  | 'look'
  | 'hurry'
  | 'close'
  | { readonly damage: ViewDamage }
  | { readonly number: number; readonly order: ProjectionOrder };

export type ProjectorMessage =
  | { readonly kind: 'report'; readonly report: ProjectorReport; readonly batch?: FedBatch | undefined }
  | { readonly kind: 'notice'; readonly text: string }
  /** The projector breaks, and had come this far. */
  | { readonly kind: 'seen'; readonly seen: readonly SeenBefore[] }
  /** The log could not be followed for a moment. */
  | { readonly kind: 'broken' }
  /** The log is not whole or not ours. */
  | { readonly kind: 'found'; readonly finding: Finding }
  | { readonly kind: 'answer'; readonly number: number; readonly outcome: OrderOutcome }
  /** The order failed, or its outcome is unknown. */
  | { readonly kind: 'failed'; readonly number: number; readonly reason: string };

interface PendingOrder {
  readonly resolve: (outcome: OrderOutcome) => void;
  readonly reject: (error: Unavailable) => void;
}

/** Milliseconds before a broken projector starts again. */
const PAUSE = 1_000;
/** How long an order waits for its answer, in milliseconds. */
const PATIENCE = 10_000;

/** Receives the messages of a projector to its process. */
export interface ProjectorListener {
  /** @param batch what the live views have taken; absent unless batches are traced */
  readonly report: (report: ProjectorReport, batch?: FedBatch) => void;
  /** A text for operators, for the service's log. */
  readonly notice: (text: string) => void;
  readonly broken: (error: Error) => void;
  /** The log could not be followed for a moment. */
  readonly doubt: () => void;
  readonly found: (finding: Finding) => void;
}

/** A projector that this process runs. */
export interface RunningProjector extends Projections {
  /** Why the projector broke; undefined once the views have come past what the log had then. */
  failure(): string | undefined;
  /** Tells the projector that something was appended. */
  notify(): void;
  /** Tells the projector that readers wait for the views, until its report after which `isAwaited` says that nobody does. */
  hurry(isAwaited: () => boolean): void;
  /** Replaces a generation that a reader cannot read. */
  damaged(damage: ViewDamage): void;
  /** Stops after the current batch. */
  close(): Promise<void>;
}

export type StartProjector = (
  data: Omit<ProjectorThreadData, 'seenBefore'>,
  on: ProjectorListener,
  time: Time,
) => RunningProjector;

/** Runs the projector in its own thread. It starts a broken one again, which goes on from the checkpoints and what that one had seen. */
export class ProjectorThread implements RunningProjector {
  #worker: Worker;
  /** Of the present thread. */
  #signals = new PaceSignals();
  #closing = false;
  #report: ProjectorReport | undefined;
  readonly #ended = new EndedBuilds();
  #failure: string | undefined;
  /** The head of the log when the projector broke; undefined if it had not reported yet. */
  #brokeAt: Position | undefined;
  #seen: readonly SeenBefore[] = [];
  /** Whether readers wait; undefined if the projector need not hurry. */
  #isAwaited: (() => boolean) | undefined;
  #orders = 0;
  readonly #pending = new Map<number, PendingOrder>();

  constructor(
    private readonly data: Omit<ProjectorThreadData, 'seenBefore'>,
    private readonly on: ProjectorListener,
    private readonly time: Time,
  ) {
    this.#worker = this.#start();
  }

  report(): ProjectorReport | undefined {
    return this.#report;
  }

  async order(order: ProjectionOrder): Promise<OrderOutcome> {
    const before = this.#report;
    const outcome = await this.#ask(order);
    if (order.verb === 'cancel' && outcome.kind === 'done') {
      this.#ended.cancelled(before, order.view, order.generation);
      if (this.#report !== undefined) this.#tell({ ...this.#report, changed: [], due: {} });
    }
    return outcome;
  }

  #ask(order: ProjectionOrder): Promise<OrderOutcome> {
    return new Promise((resolve, reject) => {
      const number = (this.#orders += 1);
      const timer = this.time.after(PATIENCE, () =>
        this.#pending.get(number)?.reject(new Unavailable('the projector does not answer')),
      );
      const over = (): void => {
        this.time.cancel(timer);
        this.#pending.delete(number);
      };
      this.#pending.set(number, {
        resolve(outcome) {
          over();
          resolve(outcome);
        },
        reject(error) {
          over();
          reject(error);
        },
      });
      this.#worker.postMessage({ number, order } satisfies ProjectorRequest);
    });
  }

  failure(): string | undefined {
    return this.#failure;
  }

  notify(): void {
    if (this.#signals.appended()) this.#worker.postMessage('look' satisfies ProjectorRequest);
  }

  hurry(isAwaited: () => boolean): void {
    // The report that answers the first of many readers shows whether the others still wait.
    if (this.#isAwaited === undefined && this.#signals.hurry())
      this.#worker.postMessage('hurry' satisfies ProjectorRequest);
    this.#isAwaited = isAwaited;
  }

  damaged(damage: ViewDamage): void {
    this.#worker.postMessage({ damage } satisfies ProjectorRequest);
  }

  close(): Promise<void> {
    this.#closing = true;
    return new Promise((resolve) => {
      if (this.#worker.threadId === -1) {
        resolve();
        return;
      }
      this.#worker.once('exit', () => resolve());
      this.#worker.postMessage('close' satisfies ProjectorRequest);
    });
  }

  #start(): Worker {
    this.#signals = new PaceSignals();
    const worker = new Worker(new URL('./projector.thread.js', import.meta.url), {
      name: 'projector',
      workerData: { ...this.data, seenBefore: this.#seen, signals: this.#signals.memory } satisfies ProjectorThreadData,
    });
    worker.on('message', (message: ProjectorMessage) => this.#receive(message));
    worker.on('error', (error) => {
      this.#failure = error instanceof Error ? error.message : String(error);
      this.#brokeAt = this.#report?.head;
      this.#ended.broke(this.#report, this.#failure);
      this.on.broken(error as Error);
      // Told to nobody: where processes share the views, the others must notice that a projector is silent.
      if (this.#report !== undefined) this.#report = this.#withFailure(this.#report);
      const again = (): void => {
        if (!this.#closing) this.#worker = this.#start();
      };
      this.time.after(PAUSE, again).unref();
    });
    worker.on('exit', () => {
      for (const { reject } of this.#pending.values()) reject(new Unavailable('the projector has ended'));
    });
    return worker;
  }

  #tell(report: ProjectorReport, batch?: FedBatch): void {
    this.#report = this.#withFailure(this.#ended.addedTo(report));
    this.on.report(this.#report, batch);
    const isAwaited = this.#isAwaited;
    this.#isAwaited = undefined;
    if (isAwaited?.() === true) this.hurry(isAwaited);
  }

  /** Whether a report shows that what broke the projector is over: each start reports once before it may break again. */
  #isOver({ views }: ProjectorReport): boolean {
    const at = this.#brokeAt ?? 0n;
    return views.every(({ state, position }) => state === 'stopped' || position >= at);
  }

  /** Names the failure at each view that has none of its own: none of them goes on meanwhile. */
  #withFailure(report: ProjectorReport): ProjectorReport {
    const failure = this.#failure;
    if (failure === undefined) return report;
    const error = `the projector broke, and starts again: ${failure}`;
    return { ...report, views: report.views.map((view) => ({ ...view, error: view.error ?? error })) };
  }

  #receive(message: ProjectorMessage): void {
    switch (message.kind) {
      case 'report':
        if (this.#isOver(message.report)) this.#failure = undefined;
        this.#tell(message.report, message.batch);
        return;
      case 'notice':
        this.on.notice(message.text);
        return;
      case 'seen':
        this.#seen = message.seen;
        return;
      case 'broken':
        this.on.doubt();
        return;
      case 'found':
        this.on.found(message.finding);
        return;
      case 'answer':
        this.#pending.get(message.number)?.resolve(message.outcome);
        return;
      case 'failed':
        this.#pending.get(message.number)?.reject(new Unavailable(message.reason));
    }
  }
}
