import { Worker } from 'node:worker_threads';
import {
  type Finding,
  type OrderOutcome,
  type ProjectionOrder,
  type Projections,
  type ProjectorReport,
  type Time,
  Unavailable,
  type WorkTimers,
} from '#eventsourcing';
import type { Position } from '#kernel';
import type { Engines } from '../engines/engines.js';

/** What an operator has accepted to be lost. */
export interface AcceptedLoss {
  /** By these codes, at this start. */
  readonly codes: ReadonlySet<string>;
  /** Where the logs ended that were accepted, now or before. */
  readonly logsAt: readonly Position[];
}

export interface ProjectorThreadData {
  readonly places: Engines['places'];
  /** Which of the rows of work lists that were written it tells of. */
  readonly dueRows: WorkTimers['wants'];
  readonly accepted: AcceptedLoss;
}

/** `look`: something was appended. `close`: stop after the batch under way. Or an order, answered under the same number. */
export type ProjectorRequest = 'look' | 'close' | { readonly number: number; readonly order: ProjectionOrder };

export type ProjectorMessage =
  | { readonly kind: 'report'; readonly report: ProjectorReport }
  | { readonly kind: 'notice'; readonly text: string }
  /** The log could not be followed for a moment. */
  | { readonly kind: 'broken' }
  /** Something contradicts that the log is whole and ours. */
  | { readonly kind: 'found'; readonly finding: Finding }
  | { readonly kind: 'answer'; readonly number: number; readonly outcome: OrderOutcome }
  /** The order could not be carried out, or it is not known whether it was. */
  | { readonly kind: 'failed'; readonly number: number; readonly reason: string };

interface Asked {
  readonly resolve: (outcome: OrderOutcome) => void;
  readonly reject: (error: Unavailable) => void;
}

/** How long it takes before a projector that broke is started again. */
const PAUSE = 1_000;
/** How long an order waits for its answer, in milliseconds. */
const PATIENCE = 10_000;

/** The projector in a thread of its own. One that breaks is started again: the checkpoints are all that it needs. */
export class ProjectorThread implements Projections {
  #worker: Worker;
  #closing = false;
  #report: ProjectorReport | undefined;
  #failure: string | undefined;
  #orders = 0;
  readonly #asked = new Map<number, Asked>();

  constructor(
    private readonly data: ProjectorThreadData,
    private readonly on: {
      readonly report: (report: ProjectorReport) => void;
      /** What operators should read in the service's log. */
      readonly notice: (text: string) => void;
      readonly broken: (error: Error) => void;
      /** The log could not be followed for a moment. */
      readonly doubt: () => void;
      readonly found: (finding: Finding) => void;
    },
    private readonly time: Time,
  ) {
    this.#worker = this.#start();
  }

  report(): ProjectorReport | undefined {
    return this.#report;
  }

  order(order: ProjectionOrder): Promise<OrderOutcome> {
    return new Promise((resolve, reject) => {
      const number = (this.#orders += 1);
      const timer = this.time.after(PATIENCE, () =>
        this.#asked.get(number)?.reject(new Unavailable('the projector does not answer')),
      );
      const over = (): void => {
        this.time.cancel(timer);
        this.#asked.delete(number);
      };
      this.#asked.set(number, {
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

  /** Why it broke, while it has told nothing since. */
  failure(): string | undefined {
    return this.#failure;
  }

  /** Something was appended to the log. */
  notify(): void {
    this.#worker.postMessage('look' satisfies ProjectorRequest);
  }

  /** Stops after the batch under way. */
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
    const worker = new Worker(new URL('./projector.thread.js', import.meta.url), { workerData: this.data });
    worker.on('message', (message: ProjectorMessage) => this.#hear(message));
    worker.on('error', (error) => {
      this.#failure = error instanceof Error ? error.message : String(error);
      this.on.broken(error as Error);
      const again = (): void => {
        if (!this.#closing) this.#worker = this.#start();
      };
      this.time.after(PAUSE, again).unref();
    });
    worker.on('exit', () => {
      for (const { reject } of this.#asked.values()) reject(new Unavailable('the projector has ended'));
    });
    return worker;
  }

  #hear(message: ProjectorMessage): void {
    switch (message.kind) {
      case 'report':
        this.#report = message.report;
        this.#failure = undefined;
        this.on.report(message.report);
        return;
      case 'notice':
        this.on.notice(message.text);
        return;
      case 'broken':
        this.on.doubt();
        return;
      case 'found':
        this.on.found(message.finding);
        return;
      case 'answer':
        this.#asked.get(message.number)?.resolve(message.outcome);
        return;
      case 'failed':
        this.#asked.get(message.number)?.reject(new Unavailable(message.reason));
    }
  }
}
