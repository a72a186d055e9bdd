import { parentPort, workerData } from 'node:worker_threads';
import { isDiskFull } from '../disk-full.js';
import { openConnection } from './log-file.js';
import type { CheckpointerData, CheckpointerMessage, CheckpointerRequest } from './threads.js';

const BUSY_TIMEOUT = 5_000;

const { file } = workerData as CheckpointerData;
const db = openConnection(file, BUSY_TIMEOUT);

function send(message: CheckpointerMessage): void {
  parentPort?.postMessage(message);
}

// PASSIVE copies what it can without making a reader or the writer wait.
const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort?.on('message', (request: CheckpointerRequest) => {
  if (request === 'close') {
    db.close();
    parentPort?.close();
    return;
  }
  try {
    checkpoint.get();
    send({ kind: 'done' });
  } catch (error) {
    if (isDiskFull(error)) send({ kind: 'full' });
    else send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
});
