import { Worker } from 'node:worker_threads';
import type { AcceptedLoss, Finding, Time } from '#eventsourcing';
import type { Fault } from '#eventsourcing/verify';
import type { Position } from '#kernel';
import type { Engines } from '../engines/engines.js';
import type { AuditJob, AuditResult } from './audit-pass.js';

/** What the thread of an audit opens, and how fast it goes. */
export interface AuditThreadData {
  readonly locations: Engines['locations'];
  /** By category: the digest of the fold that snapshots of this build have. */
  readonly digests: Readonly<Record<string, string>>;
  readonly accepted: AcceptedLoss;
  /** The part of the time in which it works, above 0 and up to 1: it rests in between. */
  readonly share: number;
}

/** A job, or `close`: stop soon. */
export type AuditRequest = 'close' | { readonly job: AuditJob };

export type AuditMessage =
  | { readonly kind: 'progress'; readonly position: Position }
  | { readonly kind: 'fault'; readonly fault: Fault }
  | { readonly kind: 'found'; readonly finding: Finding }
  | { readonly kind: 'end'; readonly result: AuditResult }
  | { readonly kind: 'failed'; readonly reason: string };

/** Hears of an audit while it goes on. */
export interface AuditHearer {
  readonly fault: (fault: Fault) => void;
  readonly found: (finding: Finding) => void;
  /** How far it has come. */
  readonly progress: (position: Position) => void;
}

/** A thread that audits the log: one job after another. */
export interface RunningAudit {
  /** @throws Error if the job could not be done, or the thread was closed */
  run(job: AuditJob): Promise<AuditResult>;
  close(): Promise<void>;
}

export type StartAudit = (data: AuditThreadData, on: AuditHearer, time: Time) => RunningAudit;

/** Memory for what an audit at full speed forgets at once, in MB. */
const YOUNG_MB = 128;
/** How long a closed thread may take to end by itself, in milliseconds. */
const ENDS_WITHIN = 2_000;

/** Audits in a thread of its own, so that it never delays a call. */
export class AuditThread implements RunningAudit {
  readonly #worker: Worker;
  #running: PromiseWithResolvers<AuditResult> | undefined;
  #failure: Error | undefined;

  constructor(
    data: AuditThreadData,
    private readonly on: AuditHearer,
    private readonly time: Time,
  ) {
    this.#worker = new Worker(new URL('./audit.thread.js', import.meta.url), {
      name: 'audit',
      workerData: data,
      // Most of what it reads is forgotten at once: with more room for that, a tenth less time goes into freeing it.
      ...(data.share === 1 && { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } }),
    });
    this.#worker.on('message', (message: AuditMessage) => this.#receive(message));
    this.#worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on('exit', () => this.#fail(new Error('the audit has ended')));
  }

  run(job: AuditJob): Promise<AuditResult> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#running = Promise.withResolvers();
    this.#worker.postMessage({ job } satisfies AuditRequest);
    return this.#running.promise;
  }

  async close(): Promise<void> {
    if (this.#worker.threadId === -1) return;
    const ended = new Promise<void>((resolve) => this.#worker.once('exit', () => resolve()));
    this.#worker.postMessage('close' satisfies AuditRequest);
    const timer = this.time.after(ENDS_WITHIN, () => void this.#worker.terminate());
    await ended;
    this.time.cancel(timer);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#running?.reject(error);
    this.#running = undefined;
  }

  #receive(message: AuditMessage): void {
    switch (message.kind) {
      case 'progress':
        this.on.progress(message.position);
        return;
      case 'fault':
        this.on.fault(message.fault);
        return;
      case 'found':
        this.on.found(message.finding);
        return;
      case 'end':
        this.#running?.resolve(message.result);
        this.#running = undefined;
        return;
      case 'failed':
        this.#running?.reject(new Error(message.reason));
        this.#running = undefined;
    }
  }
}
