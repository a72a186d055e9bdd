import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { LogUnusable } from '#eventsourcing/ports';
import { isDiskFull } from '../disk-full.js';
import { atFailpoint } from './failpoint.js';
import { damaged, openLogFile, reopenLogFile } from './log-file.js';
import { LogWriter } from './log-writer.js';
import type { WriterData, WriterMessage, WriterRequest } from './threads.js';

/** The size of the WAL in bytes at which the checkpointer's thread, for which nobody waits, runs a checkpoint. */
const CHECKPOINT_EVERY = 8 * 1024 * 1024;
/** Beyond this size, if readers keep the WAL from starting again, the writer waits for them and truncates it. */
const MAX_WAL_BYTES = 256 * 1024 * 1024;
/** How long it waits. If readers take longer, it tries again after the next few megabytes. */
const BUSY_TIMEOUT = 1_000;

const { file, splitAppends, failpoint } = workerData as WriterData;

function send(message: WriterMessage): void {
  parentPort?.postMessage(message);
}

/** The thread's work on the file. It uses one connection at a time, and a new one after the disk was full. */
class WriterThread {
  #db: DatabaseSync | undefined;
  #writer: LogWriter;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#writer = this.#writerOn(db, 0);
  }

  /** Runs one request and returns the answer. */
  answer(request: Exclude<WriterRequest, 'close'>): WriterMessage | undefined {
    const answers: number[] = [];
    try {
      this.#reopen();
      if (request === 'finish') {
        this.#finish();
        return undefined;
      }
      const written = this.#writer.execute(request, answers);
      return { kind: 'done', written, answers, commits: this.#writer.commits, grown: this.#grown() };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.close();
      return { kind: isDiskFull(error) ? 'full' : 'failed', reason, answers };
    }
  }

  close(): void {
    this.#db?.close();
    this.#db = undefined;
  }

  #reopen(): void {
    if (this.#db !== undefined) return;
    this.#db = reopenLogFile(file, BUSY_TIMEOUT);
    this.#writer = this.#writerOn(this.#db, this.#writer.commits);
  }

  #writerOn(db: DatabaseSync, commits: number): LogWriter {
    const onDurable = failpoint === undefined ? {} : { onDurable: atFailpoint(failpoint, file) };
    return new LogWriter(db, { splitAppends, ...onDurable }, commits);
  }

  /**
   * The checkpointer never catches up with a writer that never rests, and only a WAL that is copied to its end starts again.
   * Commits into a growing WAL cost about twice as much, because the sync has to record the file's new size.
   */
  #finish(): void {
    unlessFull(() => this.#db?.exec('PRAGMA wal_checkpoint(PASSIVE)'));
  }

  /** Whether the WAL needs a checkpoint. */
  #grown(): boolean {
    if (this.#writer.written < CHECKPOINT_EVERY) return false;
    this.#writer.written = 0;
    if (statSync(`${file}-wal`).size > MAX_WAL_BYTES) {
      unlessFull(() => this.#db?.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    }
    return true;
  }
}

/** If the disk has no room, the content stays in the WAL. */
function unlessFull(checkpoint: () => void): void {
  try {
    checkpoint();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

function serve(db: DatabaseSync): void {
  const thread = new WriterThread(db);
  parentPort?.on('message', (request: WriterRequest) => {
    const message = request === 'close' ? undefined : thread.answer(request);
    if (message !== undefined) send(message);
    if (request === 'close' || message?.kind === 'failed') {
      thread.close();
      parentPort?.close();
    }
  });
  send({ kind: 'ready' });
}

try {
  serve(openLogFile(file, BUSY_TIMEOUT));
} catch (error) {
  const { message } = error instanceof LogUnusable ? error : damaged(file, error);
  send({ kind: 'refused', reason: message });
  parentPort?.close();
}
