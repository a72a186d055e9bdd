import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { thisMachine } from '#adapters/machine';
import { StoreFailed, Unavailable } from '#eventsourcing/ports';
import type { FromStateThread, StateAnswers, StateRequest, StateThreadData, ToStateThread } from './messages.js';

/** Seconds until a repeat makes sense after a call found the disk full. */
const RETRY_AFTER = 10;

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** The calling side of the thread that owns state.db. The requests of one turn go in one message. */
export class StateLink {
  #turn: StateRequest[] = [];
  #turnWaits: Waiting[] = [];
  readonly #sent: Waiting[][] = [];
  readonly #exited: Promise<void>;
  readonly #failed = Promise.withResolvers<Error>();
  #ended: Error | undefined;

  private constructor(private readonly worker: Worker) {
    this.#exited = new Promise((resolve) => worker.once('exit', () => resolve()));
    worker.on('message', (message: FromStateThread) => this.#receive(message));
    worker.on('error', (error: Error) => this.#fail(`the state thread broke off: ${error.message}`));
    worker.on('exit', () => this.#end(new StoreFailed('the state database is closed')));
  }

  /** @throws Error with a message for operators if the file is refused */
  static async open(data: StateThreadData): Promise<StateLink> {
    const worker = new Worker(new URL('./state.thread.js', import.meta.url), { name: 'state', workerData: data });
    const [first] = (await once(worker, 'message')) as [FromStateThread];
    if (first.kind === 'opened') return new StateLink(worker);
    await worker.terminate();
    throw new Error(first.kind === 'refused' ? first.reason : 'the state thread did not open its file');
  }

  /**
   * Sends a request; requests run in the order of the calls, and the answer is durable. Rejects with StoreFailed, or with
   * Unavailable while the disk is full.
   */
  request<Op extends StateRequest['op']>(request: Extract<StateRequest, { op: Op }>): Promise<StateAnswers[Op]> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(this.#ended);
        return;
      }
      if (this.#turn.length === 0) thisMachine.time.soon(() => this.#send());
      this.#turn.push(request);
      this.#turnWaits.push({ resolve, reject });
    });
  }

  /** Resolves when the file has failed: nothing more can be stored. Never, if it is only closed. */
  get failed(): Promise<Error> {
    return this.#failed.promise;
  }

  /** @throws StoreFailed if the thread takes no more requests */
  assertOpen(): void {
    if (this.#ended !== undefined) throw this.#ended;
  }

  /** Waits for the answers under way; later calls reject. */
  async close(): Promise<void> {
    this.#send();
    this.#ended ??= new StoreFailed('the state database is closed');
    this.worker.postMessage('close' satisfies ToStateThread);
    await this.#exited;
  }

  #send(): void {
    if (this.#turn.length === 0) return;
    this.#sent.push(this.#turnWaits);
    this.worker.postMessage(this.#turn satisfies ToStateThread);
    this.#turn = [];
    this.#turnWaits = [];
  }

  #receive(message: FromStateThread): void {
    if (message.kind === 'failed') this.#fail(`the state database failed: ${message.reason}`);
    if (message.kind !== 'answers' && message.kind !== 'full') return;
    const batch = this.#sent.shift() ?? [];
    if (message.kind === 'full') {
      const error = new Unavailable(`there is no room for the state database (${message.reason})`, RETRY_AFTER);
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    batch.forEach((waiting, index) => waiting.resolve(message.answers[index] as never));
  }

  #fail(reason: string): void {
    const error = new StoreFailed(reason);
    this.#end(error);
    this.#failed.resolve(error);
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const waiting of [...this.#sent.splice(0).flat(), ...this.#turnWaits.splice(0)]) waiting.reject(error);
    this.#turn = [];
  }
}
