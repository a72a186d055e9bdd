import { changeEntry, type KeyValueStore, type Time } from '#eventsourcing';
import type { Position } from '#kernel';

/** Our last durable event that is known. The position is 0n for a log without events. */
export interface Mark {
  /** The log's identity. */
  readonly identity: string;
  readonly position: Position;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
}

/** The entry's name on disk. */
const ENTRY = 'mark';
/**
 * The shortest time between two writes, in milliseconds. A log that lost less than this looks like a complete one.
 */
const EVERY = 1_000;

/** The mark that the installation keeps beside its keys; undefined before its first log. */
export async function readMark(keyValues: KeyValueStore): Promise<Mark | undefined> {
  return parse(await keyValues.get(ENTRY));
}

/**
 * How far the installation knows its log. Each process moves the mark forward when its appends are answered. It goes back
 * only if an operator accepts a log that ends before it.
 */
export class LogMark {
  #last: Mark | undefined;
  #met: Mark | undefined;
  #saved: Position = -1n;
  #saving: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(
    private readonly keyValues: KeyValueStore,
    private readonly time: Time,
  ) {}

  /** The furthest event that any process of the installation has known. */
  async read(): Promise<Mark | undefined> {
    const { stored } = await this.#ask();
    const last = this.#last;
    if (last === undefined || stored === undefined || last.identity !== stored.identity) return stored ?? last;
    return last.position > stored.position ? last : stored;
  }

  /** The furthest mark that the key store has given; undefined before the first answer. */
  get met(): Mark | undefined {
    return this.#met;
  }

  /** Whether the key store gives a lower mark than before, or another log's: it is not what it was. */
  async wentBack(): Promise<{ readonly from: Mark; readonly to: Mark | undefined } | undefined> {
    const { stored: to, before: from } = await this.#ask();
    return from !== undefined && isLess(to, from) ? { from, to } : undefined;
  }

  /** Notes that our event is durable. */
  saw(mark: Mark): void {
    if (this.#last !== undefined && mark.position <= this.#last.position) return;
    this.#last = mark;
    this.#saving ??= this.#saveSoon();
  }

  /** Writes the present mark, so that nothing is lost with the process. */
  async save(): Promise<void> {
    const last = this.#last;
    if (last === undefined || last.position <= this.#saved) return;
    const seen = { before: this.#met, wentBack: false };
    const text = await changeEntry(this.keyValues, ENTRY, (there) => {
      const stored = parse(there);
      seen.wentBack = seen.before !== undefined && isLess(stored, seen.before);
      this.#meet(stored);
      seen.before = this.#met;
      // A key store that is not what it was is not written to.
      if (seen.wentBack) return undefined;
      // Another process is further, or an operator has accepted another log.
      if (stored !== undefined && (stored.identity !== last.identity || stored.position >= last.position))
        return undefined;
      return textOf(last);
    });
    if (seen.wentBack) return;
    this.#meet(parse(text));
    this.#saved = last.position;
  }

  /** Begins again at this event, whatever was known before. */
  async reset(mark: Mark): Promise<void> {
    await changeEntry(this.keyValues, ENTRY, () => textOf(mark));
    this.#last = mark.position === 0n ? undefined : mark;
    this.#met = mark;
    this.#saved = mark.position;
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#saving;
    await this.save().catch(() => undefined);
  }

  /** The mark in the key store, and the furthest one known when it was asked. */
  async #ask(): Promise<{ stored: Mark | undefined; before: Mark | undefined }> {
    const before = this.#met;
    const stored = parse(await this.keyValues.get(ENTRY));
    this.#meet(stored);
    return { stored, before };
  }

  /** Answers may overtake one another: the furthest one counts. */
  #meet(stored: Mark | undefined): void {
    if (this.#met === undefined || !isLess(stored, this.#met)) this.#met = stored;
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

/** Whether the key store's mark is lower than `met`, which it has given before. */
function isLess(stored: Mark | undefined, met: Mark): boolean {
  return stored?.identity !== met.identity || stored.position < met.position;
}

function textOf(mark: Mark): string {
  return JSON.stringify({ ...mark, position: mark.position.toString() });
}

function parse(text: string | undefined): Mark | undefined {
  if (text === undefined) return undefined;
  const { position, ...rest } = JSON.parse(text) as Omit<Mark, 'position'> & { readonly position: string };
  return { ...rest, position: BigInt(position) };
}
