import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { damaged, LogUnusable, openLogFile } from './log-file.js';
import { LogWriter } from './log-writer.js';
import type { Failpoint, WriterData, WriterMessage, WriterRequest } from './threads.js';

/** So many bytes in the WAL are worth a checkpoint by the thread that nobody waits for. */
const CHECKPOINT_EVERY = 8 * 1024 * 1024;
/** Where readers keep the WAL from being begun anew, the writer waits for them beyond this size, and cuts it off. */
const MAX_WAL_BYTES = 256 * 1024 * 1024;
/** How long it waits; when they are slower, it tries again after the next few megabytes. */
const BUSY_TIMEOUT = 1_000;

const { file, splitAppends, failpoint } = workerData as WriterData;

function send(message: WriterMessage): void {
  parentPort?.postMessage(message);
}

function dieAt({ afterAppend }: Failpoint): (transactions: number) => void {
  return (transactions) => {
    if (transactions === afterAppend) process.kill(process.pid, 'SIGKILL');
  };
}

/** Runs one request, and says what to answer. */
function answer(
  db: DatabaseSync,
  writer: LogWriter,
  request: Exclude<WriterRequest, 'close'>,
): WriterMessage | undefined {
  const answers: number[] = [];
  try {
    if (request === 'finish') {
      // The other thread never catches up with a writer that never rests, and only a WAL that is copied to its end is begun
      // anew. Commits into a WAL that grows cost about twice as much: the sync has to record the file's new size.
      db.exec('PRAGMA wal_checkpoint(PASSIVE)');
      return undefined;
    }
    writer.execute(request, answers);
    const grown = writer.written >= CHECKPOINT_EVERY;
    if (grown) {
      writer.written = 0;
      if (statSync(`${file}-wal`).size > MAX_WAL_BYTES) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    }
    return { kind: 'done', answers, commits: writer.commits, grown };
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error), answers };
  }
}

function serve(db: DatabaseSync): void {
  const writer = new LogWriter(db, {
    splitAppends,
    ...(failpoint === undefined ? {} : { onDurable: dieAt(failpoint) }),
  });
  parentPort?.on('message', (request: WriterRequest) => {
    const message = request === 'close' ? undefined : answer(db, writer, request);
    if (message !== undefined) send(message);
    if (request === 'close' || message?.kind === 'failed') {
      db.close();
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
