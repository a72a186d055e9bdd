import { createHash } from 'node:crypto';
import { type Erasure, type KeptErasures, lineText } from '#erasures-file';
import { type Clock, type Keyring, type KeyValueStore, Unavailable } from '#eventsourcing';
import { UnwritableFile } from '#files';
import { isoTime, type Position } from '#kernel';
import { parseEntry, type RegisteredErasure } from './entry.js';

/** The number of the last erasure that is carried out as a whole, and so are all before it; and the digest of their lines. */
const APPLIED = 'erasures-applied';
const entryName = (number: number): string => `erasure-${number}`;

/** Why a person is erased again whom an older copy of the data brought back. */
const BROUGHT_BACK = 'erased before: an older copy of the data was put back';

/**
 * Who is to be erased, and who is (rulings G12, H10). Each erasure is first a line of a file outside the backups, then an entry
 * beside the keys, and only then carried out: so neither a killed process nor an older copy of the data forgets it. The file and
 * the entries number the same erasures from 1; of several processes, each has a file of its own, with all erasures that it knows.
 */
export class ErasureRegister {
  /** Erasures are added one after another. */
  #adding: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly parts: {
      /** Without a file, nobody can be erased: then this says why. */
      readonly kept: KeptErasures | Error;
      readonly keyValues: KeyValueStore;
      readonly keyring: Pick<Keyring, 'hash'>;
      readonly clock: Pick<Clock, 'now'>;
      /** The last position of the log. */
      readonly head: () => Promise<Position>;
    },
  ) {}

  /** The person's name in the file: a keyed hash. */
  nameOf(person: string): string {
    return this.parts.keyring.hash('erased-person', person);
  }

  /**
   * Makes the file and the entries the same, once, at a start: an older copy of the data lacks entries, and another process has
   * written entries that this file lacks.
   * @throws Error for operators if the two contradict each other
   */
  async agree(): Promise<void> {
    const { kept } = this.parts;
    if (kept instanceof Error) return;
    const { number: applied, digest } = await this.#applied();
    await this.#followEntries(kept);
    const lines = kept.read();
    // The entries of erasures that are carried out are not read again: their digest is enough.
    if (lines.slice(0, applied).reduce(digestWith, NONE) !== digest) throw contradiction(kept.file, applied);
    for (const line of lines.slice(applied)) {
      const entry = await this.#enter({ line, reason: BROUGHT_BACK });
      if (entry.line.person === line.person) continue;
      // A killed process wrote its line, and another one had taken the number.
      if (line.number !== kept.count) throw contradiction(kept.file, line.number);
      kept.replaceLast(entry.line);
      await this.#add(line.person, BROUGHT_BACK);
    }
  }

  /** The erasures that may not be carried out as a whole, the oldest first. */
  async pending(): Promise<readonly RegisteredErasure[]> {
    const pending: RegisteredErasure[] = [];
    for (let number = (await this.#applied()).number + 1; ; number += 1) {
      const text = await this.parts.keyValues.get(entryName(number));
      if (text === undefined) return pending;
      pending.push(parseEntry(text));
    }
  }

  /** Registers an erasure. One that is registered and not carried out is not registered again. */
  add(person: string, reason: string): Promise<RegisteredErasure> {
    const added = this.#adding.then(() => this.#add(this.nameOf(person), reason));
    this.#adding = added.catch(() => undefined);
    return added;
  }

  /** Notes that an erasure is carried out as a whole. */
  async done(line: Erasure): Promise<void> {
    const { keyValues } = this.parts;
    const { number, digest, text } = await this.#applied();
    // Once the ones before it are done, it is carried out again, and then noted.
    if (number !== line.number - 1) return;
    const next = `${line.number} ${digestWith(digest, line)}`;
    if (text === undefined) await keyValues.insert(APPLIED, next);
    else await keyValues.replace(APPLIED, text, next);
  }

  async #add(name: string, reason: string): Promise<RegisteredErasure> {
    const { kept, clock, head } = this.parts;
    if (kept instanceof Error) throw new Unavailable(`nobody can be erased: ${kept.message}`, 60);
    const known = (await this.pending()).find(({ line }) => line.person === name);
    if (known !== undefined) return known;
    const position = String(await head());
    for (;;) {
      const line = { number: kept.count + 1, person: name, at: isoTime(clock.now()), position };
      written(() => kept.add(line));
      const entry = await this.#enter({ line, reason });
      if (entry.line.person === name) return entry;
      // Another process was quicker.
      written(() => kept.replaceLast(entry.line));
      await this.#followEntries(kept);
    }
  }

  /** Adds what other processes have registered to the file. */
  async #followEntries(kept: KeptErasures): Promise<void> {
    for (;;) {
      const text = await this.parts.keyValues.get(entryName(kept.count + 1));
      if (text === undefined) return;
      written(() => kept.add(parseEntry(text).line));
    }
  }

  /** The entry of this number: this one, or an earlier one. */
  async #enter(entry: RegisteredErasure): Promise<RegisteredErasure> {
    return parseEntry(await this.parts.keyValues.insert(entryName(entry.line.number), JSON.stringify(entry)));
  }

  async #applied(): Promise<{ readonly number: number; readonly digest: string; readonly text: string | undefined }> {
    const text = await this.parts.keyValues.get(APPLIED);
    const [number = '0', digest = NONE] = text?.split(' ') ?? [];
    return { number: Number(number), digest, text };
  }
}

/** The digest of no lines, and that of lines and one more. */
const NONE = '';
const digestWith = (before: string, line: Erasure): string =>
  createHash('sha256')
    .update(`${before}${lineText(line)}`)
    .digest('hex');

/** @throws Unavailable if the file cannot be written now */
function written(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (error instanceof UnwritableFile) throw new Unavailable(`nobody can be erased: ${error.message}`, 60);
    throw error;
  }
}

function contradiction(file: string, number: number): Error {
  return new Error(
    `${file} is not the file of this installation's erasures: up to number ${number}, they are others than those beside the keys. Put back the right file, or name it in ERASURES_FILE`,
  );
}
