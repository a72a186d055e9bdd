import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Position, Recorded } from '#kernel';
import {
  type Append,
  type AppendResult,
  type Batch,
  LogFailed,
  type LogOwner,
  type LogRecord,
  type OwnedLog,
  LogUnusable,
  type Page,
} from '#eventsourcing/ports';
import { AppendQueue } from './append-queue.js';
import { EmbeddedLogReader } from './embedded-log-reader.js';
import { nameOwner } from './log-owner.js';
import type {
  CheckpointerData,
  CheckpointerMessage,
  CheckpointerRequest,
  WriterData,
  WriterMessage,
  WriterRequest,
} from './threads.js';
import type { Failpoint } from './failpoint.js';

export interface EmbeddedLogOptions {
  /** The log's file, in an existing folder that only this process owns (see `lockDataFolder`). A missing file is made. */
  readonly file: string;
  /** Each append is a transaction with its own sync, as on a server without transactions over several streams. */
  readonly splitAppends?: boolean;
  /** For tests: where the process kills itself, or waits. Without `splitAppends` it counts transactions. */
  readonly failpoint?: Failpoint;
  /** Called after appends have become durable. It should notify readers in other threads (`EmbeddedLogReader.notify`). */
  readonly onAppended?: () => void;
  /** Called once, when the log takes no more appends. */
  readonly onFailed?: (error: LogFailed) => void;
  /** Called with the reason when the disk is full, and with undefined when appends continue. */
  readonly onHindered?: (reason: string | undefined) => void;
}

/** What was written, and with how many syncs: shows how well appends are batched. */
export interface EmbeddedLogStats {
  readonly appends: number;
  /** Transactions with events, each with one sync. */
  readonly commits: number;
}

/**
 * The event log in one SQLite file. One thread owns the writing connection; appends that come while it is busy go to it
 * together and share one transaction and one sync. Another thread checkpoints the WAL. Reads run in the calling thread.
 *
 * Callers get the answer to an append, and readers see it, only after the sync of the WAL. An error of a commit, a sync or a
 * checkpoint is final: every waiting and later append rejects with LogFailed, nothing is repeated, and reads continue. A
 * full disk is different: appends reject with AppendOutcomeUnknown while it lasts, and continue when there is room.
 */
export class EmbeddedLog implements OwnedLog {
  readonly countsBytes = false;
  readonly identity: string;
  readonly dense = true;
  readonly #queue: AppendQueue;
  /** Started by the first checkpoint: most processes end before one. */
  #checkpointer: Worker | undefined;
  #checkpointing = false;
  #failed = false;
  #hindered: string | undefined;
  #closing: Promise<void> | undefined;
  #appends = 0;
  #commits = 0;

  private constructor(
    private readonly options: EmbeddedLogOptions,
    private readonly reader: EmbeddedLogReader,
    private readonly writer: Worker,
  ) {
    this.identity = reader.identity;
    this.#queue = new AppendQueue((batch) => writer.postMessage(batch satisfies WriterRequest));
    writer.on('message', (message: WriterMessage) => this.#receive(message));
    this.#watch(writer);
  }

  /**
   * Opens the log. Before anything is read, it syncs what the last process left in the WAL, copies it and syncs again,
   * because what a recovery finds need not be on disk.
   * @throws LogUnusable with a message for operators
   */
  static async open(options: EmbeddedLogOptions): Promise<EmbeddedLog> {
    const workerData: WriterData = {
      file: options.file,
      splitAppends: options.splitAppends ?? false,
      failpoint: options.failpoint,
    };
    const writer = new Worker(new URL('./writer.thread.js', import.meta.url), { name: 'log-writer', workerData });
    const [message] = (await once(writer, 'message')) as [WriterMessage];
    if (message.kind === 'refused') {
      await writer.terminate();
      throw new LogUnusable(message.reason);
    }
    try {
      return new EmbeddedLog(options, EmbeddedLogReader.open(options.file), writer);
    } catch (error) {
      await writer.terminate();
      throw error;
    }
  }

  append(list: readonly [Append, ...Append[]]): Promise<readonly AppendResult[]> {
    return new Promise((resolve, reject) => {
      this.#queue.add(list, resolve, reject);
      this.#appends += list.length;
    });
  }

  readStream(stream: string, from: number, max: number): Promise<Page> {
    return this.reader.readStream(stream, from, max);
  }

  head(): Promise<Position> {
    return this.reader.head();
  }

  eventAt(position: Position): Promise<Recorded | undefined> {
    return this.reader.eventAt(position);
  }

  subscribe(after: Position, max: number, signal: AbortSignal): AsyncIterable<Batch> {
    return this.reader.subscribe(after, max, signal);
  }

  async record(): Promise<LogRecord> {
    return this.reader.record();
  }

  async own(before: LogOwner | undefined, owner: LogOwner): Promise<boolean> {
    return nameOwner(this.options.file, before, owner);
  }

  get syncs(): number {
    return this.#commits;
  }

  stats(): EmbeddedLogStats {
    return { appends: this.#appends, commits: this.#commits };
  }

  /** Answers waiting appends, then ends the threads. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #receive(message: WriterMessage): void {
    if (message.kind === 'failed') {
      this.#fail(message.reason, message.answers);
    } else if (message.kind === 'full') {
      const words = `there is no room for the event log ${this.options.file} (${message.reason}): it continues by itself when there is room`;
      this.#hinder(words);
      this.#queue.hindered(words, message.answers);
      this.reader.notify();
    } else if (message.kind === 'done') {
      this.#hinder(undefined);
      this.#commits = message.commits;
      if (message.written === undefined) this.#queue.answered(message.answers);
      else this.#queue.written(message.written);
      this.reader.notify();
      this.options.onAppended?.();
      if (message.grown && !this.#checkpointing) {
        this.#checkpointing = true;
        this.#checkpointer ??= this.#startCheckpointer();
        this.#checkpointer.postMessage('checkpoint' satisfies CheckpointerRequest);
      }
    }
  }

  #startCheckpointer(): Worker {
    const workerData: CheckpointerData = { file: this.options.file };
    const checkpointer = new Worker(new URL('./checkpointer.thread.js', import.meta.url), {
      name: 'checkpointer',
      workerData,
    });
    checkpointer.on('message', (message: CheckpointerMessage) => {
      this.#checkpointing = false;
      if (message.kind === 'failed') this.#fail(`a checkpoint failed: ${message.reason}`);
      else if (message.kind === 'done') this.writer.postMessage('finish' satisfies WriterRequest);
    });
    this.#watch(checkpointer);
    return checkpointer;
  }

  #watch(thread: Worker): void {
    thread.on('error', (error) => this.#fail(`a thread failed: ${String(error)}`));
    thread.on('exit', () => {
      if (this.#closing === undefined) this.#fail('a thread ended');
    });
  }

  #hinder(words: string | undefined): void {
    if ((this.#hindered === undefined) === (words === undefined)) return;
    this.#hindered = words;
    this.options.onHindered?.(words);
  }

  #fail(reason: string, answers?: readonly number[]): void {
    if (this.#failed) return;
    this.#failed = true;
    const words = `the event log ${this.options.file} takes no more appends (${reason}): check the disk, then start again`;
    this.#queue.fail(words, answers);
    this.options.onFailed?.(new LogFailed(words));
    // While the reader is open, closing a writing connection copies nothing from the WAL. After a failed sync the WAL stays
    // for the next start, which writes it again before it trusts it.
    void this.#endThreads();
  }

  async #close(): Promise<void> {
    await this.#queue.close();
    if (this.#failed) {
      await this.#endThreads();
      await this.reader.close();
    } else {
      // The writer closes last, so it copies the WAL into the file and removes it.
      await this.reader.close();
      await this.#endThreads();
    }
  }

  async #endThreads(): Promise<void> {
    if (this.#checkpointer !== undefined) await end(this.#checkpointer);
    await end(this.writer);
  }
}

function end(thread: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (thread.threadId === -1) return resolve();
    thread.once('exit', () => resolve());
    thread.postMessage('close' satisfies WriterRequest & CheckpointerRequest);
  });
}
