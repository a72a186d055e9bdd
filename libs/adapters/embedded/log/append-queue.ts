import { thisMachine } from '#adapters/machine';
import { type Append, type AppendResult, AppendOutcomeUnknown, LogFailed, writerOf } from '#eventsourcing/ports';
import { TurnQueue } from '#eventsourcing/scheduling';
import { decodeResults, encodeList, type Flat, type Weight, writtenResults } from './batch.js';

/** The most events or characters in a batch, so that no caller waits for an endless transaction. */
const MAX_BATCH_EVENTS = 2_000;
const MAX_BATCH_CHARACTERS = 1024 * 1024;
/** How many times as much a batch has if many writers join it when it is full. */
const FULL_TWICE = 2;

/** The appends of a decision and its followers. */
type List = readonly [Append, ...Append[]];

interface Waiting {
  readonly list: List;
  readonly resolve: (results: readonly AppendResult[]) => void;
  readonly reject: (error: Error) => void;
}

/** A list that waits for a later batch, in the writer's form. */
interface Encoded {
  readonly waiting: Waiting;
  readonly content: Flat;
  readonly weight: Weight;
}

class Batch {
  readonly content: Flat = { shape: [], rows: [] };
  readonly waiting: Waiting[] = [];
  events = 0;
  characters = 0;
  /** Whose lists it has; filled when it is full. */
  #writers: Set<string> | undefined;

  get full(): boolean {
    return this.#has(1);
  }

  /** Adds a list that is encoded at the end of the content. */
  add(waiting: Waiting, { events, characters }: Weight): void {
    this.waiting.push(waiting);
    this.events += events;
    this.characters += characters;
  }

  /** Whether it takes one more list of a writer: a full one takes the first list of each. */
  takes(list: List): boolean {
    if (!this.full) return true;
    if (this.#has(FULL_TWICE)) return false;
    this.#writers ??= new Set(this.waiting.map((waiting) => writerOf(waiting.list)));
    const writer = writerOf(list);
    if (this.#writers.has(writer)) return false;
    this.#writers.add(writer);
    return true;
  }

  #has(times: number): boolean {
    return this.events >= times * MAX_BATCH_EVENTS || this.characters >= times * MAX_BATCH_CHARACTERS;
  }
}

/**
 * Collects appends while the writer is busy and sends them together, one batch at a time. All appends of one turn of the
 * event loop form one batch, and all its answers come together. If more wait than one batch holds, their writers take turns
 * (ruling I16): each has its first list in the next batch, however many another one has. The lists of one writer stay in order.
 */
export class AppendQueue {
  /** The next batch. */
  #next = new Batch();
  /** What is for later batches; only if the next one is full. */
  readonly #later = new TurnQueue<Encoded>({ together: Infinity, ofOwner: Infinity });
  #sent: Batch | undefined;
  #scheduled = false;
  #refusal: (() => Error) | undefined;
  readonly #emptied: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(private readonly send: (batch: Flat) => void) {}

  add(list: List, resolve: Waiting['resolve'], reject: Waiting['reject']): void {
    if (this.#refusal !== undefined) {
      reject(this.#refusal());
      return;
    }
    const waiting = { list, resolve, reject };
    if (!this.#next.takes(list)) {
      const content: Flat = { shape: [], rows: [] };
      const weight = encodeList(list, content);
      this.#later.add(writerOf(list), { waiting, content, weight });
      return;
    }
    this.#schedule();
    const { shape, rows } = this.#next.content;
    const lengths = [shape.length, rows.length] as const;
    try {
      this.#next.add(waiting, encodeList(list, this.#next.content));
    } catch (error) {
      [shape.length, rows.length] = lengths;
      throw error;
    }
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
    const later = this.#later.clear().map(({ waiting }) => waiting);
    settle(this.#sent?.waiting ?? [], answers, this.#refusal);
    settle([...this.#next.waiting, ...later], [], this.#refusal);
    this.#sent = undefined;
    this.#next = new Batch();
    this.#emptied.resolve();
  }

  /** Refuses new appends, and resolves when all earlier ones are answered. */
  async close(): Promise<void> {
    this.#refusal ??= () => new Error('the event log is closed');
    if (this.#sent === undefined && this.#next.waiting.length === 0) return;
    await this.#emptied.promise;
  }

  #settleSent(answers: readonly number[], missing: () => Error): void {
    const batch = this.#sent;
    this.#sent = undefined;
    this.#schedule();
    if (batch !== undefined) settle(batch.waiting, answers, missing);
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
    if (this.#next.waiting.length === 0) {
      // Nothing waits, or the encoding refused all of it.
      if (this.#refusal !== undefined) this.#emptied.resolve();
      return;
    }
    this.#sent = this.#next;
    this.#next = new Batch();
    this.send(this.#sent.content);
    this.#fill();
  }

  /** Fills the next batch with what waits, in turns between the writers. */
  #fill(): void {
    while (!this.#next.full) {
      const encoded = this.#later.take();
      if (encoded === undefined) return;
      const { waiting, content, weight } = encoded;
      for (const number of content.shape) this.#next.content.shape.push(number);
      for (const value of content.rows) this.#next.content.rows.push(value);
      this.#next.add(waiting, weight);
    }
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
