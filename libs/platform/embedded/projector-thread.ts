import { Worker } from 'node:worker_threads';
import type { ProjectorReport } from '#eventsourcing';

export interface ProjectorThreadData {
  readonly logFile: string;
  readonly viewsFolder: string;
}

/** `look`: something was appended. `close`: stop after the batch under way. */
export type ProjectorRequest = 'look' | 'close';

export interface ProjectorMessage {
  readonly kind: 'report';
  readonly report: ProjectorReport;
}

/** How long it takes before a projector that broke is started again. */
const PAUSE = 1_000;

/** The projector in a thread of its own. One that breaks is started again: the checkpoints are all that it needs. */
export class ProjectorThread {
  #worker: Worker;
  #closing = false;

  constructor(
    private readonly data: ProjectorThreadData,
    private readonly on: {
      readonly report: (report: ProjectorReport) => void;
      readonly broken: (error: Error) => void;
    },
  ) {
    this.#worker = this.#start();
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
    worker.on('message', ({ report }: ProjectorMessage) => this.on.report(report));
    worker.on('error', (error) => {
      this.on.broken(error as Error);
      setTimeout(() => {
        if (!this.#closing) this.#worker = this.#start();
      }, PAUSE).unref();
    });
    return worker;
  }
}
