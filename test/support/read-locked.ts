import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Milliseconds: far less than a start waits, and long enough that one who does not wait is refused. */
const HELD_FOR = 100;

const READER = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(workerData.file, { readOnly: true });
database.exec('BEGIN');
database.prepare('SELECT count(*) FROM sqlite_schema').get();
parentPort.postMessage('reads');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, workerData.heldFor);
database.close();
`;

/**
 * Reads a SQLite file in a thread for a moment, as a command that only looks does.
 * @returns a promise, when the thread reads, of another one that ends with the thread: the caller may block its own thread meanwhile
 */
export async function readLocked(file: string): Promise<{ readonly ended: Promise<unknown> }> {
  const worker = new Worker(READER, { eval: true, workerData: { file, heldFor: HELD_FOR } });
  const ended = once(worker, 'exit');
  await once(worker, 'message');
  return { ended };
}
