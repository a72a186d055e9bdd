import type { Position } from '#kernel';
import type { Facts } from '../ports/facts.js';
import type { Time } from '../ports/time.js';

/** The last durable event of ours that is known of; of a log without events the position is 0n. */
export interface Mark {
  /** The log's. */
  readonly identity: string;
  readonly position: Position;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
}

/** On disk, as the name of a fact. */
const FACT = 'mark';
/** It is written at most so often, in milliseconds: a log that lost less than that is not told from a whole one. */
const EVERY = 1_000;

/** The mark that the installation keeps beside its keys; undefined before its first log. */
export async function readMark(facts: Facts): Promise<Mark | undefined> {
  return parse(await facts.get(FACT));
}

/**
 * How far the installation knows its log. Each process moves the mark on as its appends are answered; it never goes back,
 * but when an operator accepts a log that ends before it.
 */
export class LogMark {
  #last: Mark | undefined;
  #met: Mark | undefined;
  #saved: Position = -1n;
  #saving: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(
    private readonly facts: Facts,
    private readonly time: Time,
  ) {}

  /** The furthest event that this process, or another one of the installation, has known. */
  async read(): Promise<Mark | undefined> {
    const { stored } = await this.#ask();
    const last = this.#last;
    if (last === undefined || stored === undefined || last.identity !== stored.identity) return stored ?? last;
    return last.position > stored.position ? last : stored;
  }

  /** The furthest that the key store has been seen to know; undefined before it was asked. */
  get met(): Mark | undefined {
    return this.#met;
  }

  /** Whether the key store knows less of the log, or another one, than it once did: it is not what it was. */
  async wentBack(): Promise<{ readonly from: Mark; readonly to: Mark | undefined } | undefined> {
    const { stored: to, before: from } = await this.#ask();
    return from !== undefined && isLess(to, from) ? { from, to } : undefined;
  }

  /** An event of ours is durable. */
  saw(mark: Mark): void {
    if (this.#last !== undefined && mark.position <= this.#last.position) return;
    this.#last = mark;
    this.#saving ??= this.#saveSoon();
  }

  /** Writes down what is known now: nothing that is remembered here goes with the process. */
  async save(): Promise<void> {
    const last = this.#last;
    if (last === undefined || last.position <= this.#saved) return;
    for (;;) {
      const { text, stored, before } = await this.#ask();
      // Nothing is written to a key store that is not what it was.
      if (before !== undefined && isLess(stored, before)) return;
      // Another process is further, or an operator has accepted another log.
      if (stored !== undefined && (stored.identity !== last.identity || stored.position >= last.position)) break;
      if (await this.#put(text, last)) break;
    }
    this.#saved = last.position;
  }

  /** Begins anew at this event, whatever was known. */
  async reset(mark: Mark): Promise<void> {
    while (!(await this.#put(await this.facts.get(FACT), mark)));
    this.#last = mark.position === 0n ? undefined : mark;
    this.#met = mark;
    this.#saved = mark.position;
  }

  /** Writes down the rest. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#saving;
    await this.save().catch(() => undefined);
  }

  /** What the key store knows, and what it was known to know when it was asked. */
  async #ask(): Promise<{ text: string | undefined; stored: Mark | undefined; before: Mark | undefined }> {
    const before = this.#met;
    const text = await this.facts.get(FACT);
    const stored = parse(text);
    this.#meet(stored);
    return { text, stored, before };
  }

  /** Answers may overtake one another: the furthest counts. */
  #meet(stored: Mark | undefined): void {
    if (this.#met === undefined || !isLess(stored, this.#met)) this.#met = stored;
  }

  async #put(expected: string | undefined, mark: Mark): Promise<boolean> {
    const text = JSON.stringify({ ...mark, position: mark.position.toString() });
    const put =
      expected === undefined
        ? (await this.facts.insert(FACT, text)) === text
        : expected === text || (await this.facts.replace(FACT, expected, text));
    if (put) this.#meet(mark);
    return put;
  }

  async #saveSoon(): Promise<void> {
    await this.time.pause(EVERY, { signal: this.#stop.signal });
    this.#saving = undefined;
    await this.save().catch(() => {
      // The key store cannot be reached now.
      if (!this.#stop.signal.aborted) this.#saving ??= this.#saveSoon();
    });
  }
}

/** Whether the key store, once it has known `met`, cannot know this alone. */
function isLess(stored: Mark | undefined, met: Mark): boolean {
  return stored?.identity !== met.identity || stored.position < met.position;
}

function parse(text: string | undefined): Mark | undefined {
  if (text === undefined) return undefined;
  const { position, ...rest } = JSON.parse(text) as Omit<Mark, 'position'> & { readonly position: string };
  return { ...rest, position: BigInt(position) };
}
