import { thisMachine } from '#adapters/machine';
import { type Append, type AppendResult, AppendOutcomeUnknown, LogFailed } from '#eventsourcing/ports';
import { decodeResults, encodeList, type Flat, writtenResults } from './batch.js';

/** The most events or characters in a batch, so that no caller waits for an endless transaction. */
const MAX_BATCH_EVENTS = 2_000;
const MAX_BATCH_CHARACTERS = 4 * 1024 * 1024;

interface Waiting {
  readonly list: readonly Append[];
  readonly resolve: (results: readonly AppendResult[]) => void;
  readonly reject: (error: Error) => void;
}

class Batch {
  readonly content: Flat = { shape: [], rows: [] };
  readonly waiting: Waiting[] = [];
  events = 0;
  characters = 0;

  get full(): boolean {
    return this.events >= MAX_BATCH_EVENTS || this.characters >= MAX_BATCH_CHARACTERS;
  }
}

/**
 * Collects appends while the writer is busy and sends them together, one batch at a time. All appends of one turn of the
 * event loop form one batch, and all its answers come together.
 */
export class AppendQueue {
  #batches: Batch[] = [];
  #sent: Batch | undefined;
  #scheduled = false;
  #refusal: (() => Error) | undefined;
  readonly #emptied: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(private readonly send: (batch: Flat) => void) {}

  add(list: readonly Append[], resolve: Waiting['resolve'], reject: Waiting['reject']): void {
    if (this.#refusal !== undefined) {
      reject(this.#refusal());
      return;
    }
    const batch = this.#open();
    this.#schedule();
    const { shape, rows } = batch.content;
    const lengths = [shape.length, rows.length] as const;
    try {
      const weight = encodeList(list, batch.content);
      batch.events += weight.events;
      batch.characters += weight.characters;
    } catch (error) {
      [shape.length, rows.length] = lengths;
      throw error;
    }
    batch.waiting.push({ list, resolve, reject });
  }

  /** The writer wrote all of the last batch, whose last event has this position. */
  written(position: number): void {
    const batch = this.#sent;
    this.#sent = undefined;
    this.#schedule();
    if (batch === undefined) return;
    let before = position - batch.events;
    for (const { list, resolve } of batch.waiting) {
      resolve(writtenResults(list, before));
      for (const { events } of list) before += events.length;
    }
  }

  /** Takes the writer's answers to the last batch, of which something was not written. */
  answered(answers: readonly number[]): void {
    this.#settleSent(answers, () => new Error('the writer gave no answer'));
  }

  /**
   * The writer could not finish the last batch, and takes the next one.
   * @param answers for the part that it did
   */
  hindered(reason: string, answers: readonly number[]): void {
    this.#settleSent(answers, () => new AppendOutcomeUnknown(reason));
  }

  /**
   * Rejects everything that waits or comes later.
   * @param answers for the part of the last batch that the writer did before it failed
   */
  fail(reason: string, answers: readonly number[] = []): void {
    this.#refusal = () => new LogFailed(reason);
    const failed = [...(this.#sent === undefined ? [] : [this.#sent]), ...this.#batches];
    this.#sent = undefined;
    this.#batches = [];
    let left = answers;
    for (const batch of failed) {
      settle(batch.waiting, left, this.#refusal);
      left = [];
    }
    this.#emptied.resolve();
  }

  /** Refuses new appends, and resolves when all earlier ones are answered. */
  async close(): Promise<void> {
    this.#refusal ??= () => new Error('the event log is closed');
    if (this.#sent === undefined && this.#batches.length === 0) return;
    await this.#emptied.promise;
  }

  #settleSent(answers: readonly number[], missing: () => Error): void {
    const batch = this.#sent;
    this.#sent = undefined;
    this.#schedule();
    if (batch !== undefined) settle(batch.waiting, answers, missing);
  }

  #open(): Batch {
    const last = this.#batches.at(-1);
    if (last !== undefined && !last.full) return last;
    const batch = new Batch();
    this.#batches.push(batch);
    return batch;
  }

  #schedule(): void {
    if (this.#scheduled || this.#sent !== undefined) return;
    this.#scheduled = true;
    // At the end of the turn, so that the appends of the turn's other callers join.
    thisMachine.time.soon(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#sent !== undefined) return;
    const batch = this.#batches.shift();
    if (batch === undefined) {
      if (this.#refusal !== undefined) this.#emptied.resolve();
      return;
    }
    if (batch.waiting.length === 0) {
      // The encoding refused all of its lists.
      this.#schedule();
      return;
    }
    this.#sent = batch;
    this.send(batch.content);
  }
}

function settle(waiting: readonly Waiting[], answers: readonly number[], missing: () => Error): void {
  let from = 0;
  for (const { list, resolve, reject } of waiting) {
    const results = decodeResults(answers, from, list.length);
    if (results === undefined) reject(missing());
    else resolve(results);
    from += list.length;
  }
}
