import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { thisMachine } from '#adapters/machine';
import { type LedgerMark, syncFolder } from '#eventsourcing/ports';
import { digestOf, endsWith, identityLine, type LedgerLine, parseLedger } from './ledger-line.js';

/**
 * The file that the sandbox writes what it has done into. Lines that wait while the disk syncs share the next write and
 * sync. A failed one is final: whether it is on disk, nobody knows. Lines that there is no room for wait until there is, and
 * those behind them too.
 */
export class LedgerFile {
  readonly #waiting: string[] = [];
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failure: Error | undefined;

  private constructor(
    private readonly handle: FileHandle,
    /** What it held when it was opened. */
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
   * Opens the file, or makes it in a folder that exists, for its owner alone. A line that a crash cut off goes; the others
   * are synced before anybody is told of them. One that has no identity gets its own.
   * @throws Error in words when it is damaged, or a newer build wrote it
   */
  static async open(file: string): Promise<LedgerFile> {
    const { identity: known, lines, size, last } = parseLedger(file);
    const identity = known ?? thisMachine.randomness.uuid();
    const begun = known === undefined ? identityLine(identity) : '';
    const handle = await open(file, 'a+', 0o600);
    try {
      await handle.chmod(0o600);
      await handle.truncate(size);
      await handle.appendFile(begun);
      await handle.sync();
      syncFolder(dirname(file));
    } catch (error) {
      await handle.close();
      throw error;
    }
    const digest = digestOf(known === undefined ? begun : last);
    const mark = { identity, size: size + Buffer.byteLength(begun), digest };
    return new LedgerFile(handle, lines, mark, known === undefined);
  }

  /** Whether it has, on disk, what this mark says. */
  async reaches(mark: LedgerMark): Promise<boolean> {
    const { identity, size } = this.durable;
    if (mark.identity !== identity || mark.size > size) return false;
    const length = Math.min(mark.size, LONGEST_LINE);
    const { buffer, bytesRead } = await this.handle.read(Buffer.alloc(length), 0, length, mark.size - length);
    return bytesRead === length && endsWith(buffer, mark);
  }

  /** Appends a line; it is on disk when this resolves. In the order of the calls. */
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

  /** Writes lines behind the others; false where there is no room, and then nothing of them is left in the file. */
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

/** Milliseconds between two looks whether a disk that was full has room. */
const LOOK_FOR_ROOM_EVERY = 200;

const CLOSED = 'the ledger is closed';
