import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { thisMachine } from '#adapters/machine';
import type { LedgerMark } from '#eventsourcing/ports';
import { namedAfter, syncFolder } from '#files';
import { digestOf, endsWith, identityLine, type LedgerLine, linesIn, parseLedger } from './ledger-line.js';

/**
 * The file with everything that the sandbox has done. Lines that wait while the disk syncs share the next write and sync. A
 * failed one is final, because nobody knows whether it is on disk. If the disk is full, lines and those behind them wait for
 * room.
 */
export class LedgerFile {
  readonly #waiting: string[] = [];
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failure: Error | undefined;

  private constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
    /** The lines in the file when it was opened. */
    readonly lines: readonly LedgerLine[],
    private durable: LedgerMark,
    /** Whether it got its identity when it was opened. */
    readonly isNew: boolean,
  ) {}

  /** Which ledger it is, and how far it is on disk. */
  get mark(): LedgerMark {
    return this.durable;
  }

  /**
   * Opens the file, or makes it in an existing folder, for its owner only. Removes a line that a crash cut off, and syncs
   * the others before anyone sees them. A new file gets an identity.
   * @throws Error with a message for operators if it is damaged, another build wrote it, or it cannot be read or written
   */
  static async open(file: string): Promise<LedgerFile> {
    const { identity: known, lines, size, last } = parseLedger(file);
    const identity = known ?? thisMachine.randomness.uuid();
    const begun = known === undefined ? identityLine(identity) : '';
    let handle: FileHandle | undefined;
    try {
      handle = await open(file, 'a+', 0o600);
      await handle.chmod(0o600);
      await handle.truncate(size);
      await handle.appendFile(begun);
      await handle.sync();
      syncFolder(dirname(file));
    } catch (error) {
      await handle?.close();
      throw namedAfter(file, error);
    }
    const digest = digestOf(known === undefined ? begun : last);
    const mark = { identity, size: size + Buffer.byteLength(begun), digest };
    return new LedgerFile(file, handle, lines, mark, known === undefined);
  }

  /** Whether the ledger has on disk what this mark says. */
  async reaches(mark: LedgerMark): Promise<boolean> {
    const { identity, size } = this.durable;
    if (mark.identity !== identity || mark.size > size) return false;
    const length = Math.min(mark.size, LONGEST_LINE);
    const { buffer, bytesRead } = await this.handle.read(Buffer.alloc(length), 0, length, mark.size - length);
    return bytesRead === length && endsWith(buffer, mark);
  }

  /**
   * The lines after a mark, as many as fit into a part, up to what is on disk; and where the part ends. Undefined if the ledger
   * does not have the mark.
   */
  async linesAfter(
    mark: LedgerMark,
  ): Promise<{ readonly lines: readonly LedgerLine[]; readonly end: LedgerMark; readonly more: boolean } | undefined> {
    const until = this.durable;
    if (!(await this.reaches(mark))) return undefined;
    const length = Math.min(until.size - mark.size, PART);
    const { buffer, bytesRead } = await this.handle.read(Buffer.alloc(length), 0, length, mark.size);
    const { lines, size, last } = linesIn(buffer.subarray(0, bytesRead), this.path);
    if (size === 0) return { lines, end: mark, more: false };
    const end = { identity: mark.identity, size: mark.size + size, digest: digestOf(last) };
    return { lines, end, more: end.size < until.size };
  }

  /** Appends a line, in the order of the calls. It is on disk when this resolves. */
  append(line: LedgerLine): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#waiting.push(`${JSON.stringify(line)}\n`);
    this.#next ??= (this.#running ?? Promise.resolve()).then(() => this.#write());
    return this.#next;
  }

  /** Waits for the lines under way. Later ones reject. */
  async close(): Promise<void> {
    if (this.#failure?.message === CLOSED) return;
    const last = this.#next ?? this.#running;
    this.#failure ??= new Error(CLOSED);
    await last?.catch(() => undefined);
    await this.handle.close();
  }

  /** Writes lines at the end; false if the disk is full, with nothing of them left in the file. */
  async #fits(lines: Buffer): Promise<boolean> {
    try {
      await this.handle.appendFile(lines);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      await this.handle.truncate(this.durable.size);
      await this.handle.datasync();
      return false;
    }
  }

  async #write(): Promise<void> {
    this.#running = this.#next;
    this.#next = undefined;
    const waiting = this.#waiting.splice(0);
    const lines = Buffer.from(waiting.join(''));
    try {
      while (!(await this.#fits(lines))) {
        await thisMachine.time.pause(LOOK_FOR_ROOM_EVERY);
        if (this.#failure !== undefined) throw this.#failure;
      }
      await this.handle.datasync();
      const { identity, size } = this.durable;
      this.durable = { identity, size: size + lines.length, digest: digestOf(waiting.at(-1) ?? '') };
    } catch (error) {
      this.#failure = error as Error;
      throw error;
    }
  }
}

/** More bytes than a line has: keys are bounded. */
const LONGEST_LINE = 16_384;

/** The bytes of one part of the ledger: what its lines say fits into an answer (`GATEWAY_BODY`). */
const PART = 12_288;

/** Milliseconds between two checks whether a full disk has room. */
const LOOK_FOR_ROOM_EVERY = 200;

const CLOSED = 'the ledger is closed';
