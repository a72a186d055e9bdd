import { parentPort, workerData } from 'node:worker_threads';
import { thisMachine } from '#adapters/machine';
import { openFollowedLog, openReadViews } from '../engines/locations.js';
import { auditPass } from './audit-pass.js';
import type { AuditMessage, AuditRequest, AuditThreadData } from './audit-thread.js';
import { Pauses } from './pauses.js';

// Audits the log in its own thread, beside the one that answers calls.
if (parentPort === null) throw new Error('this file is the entry of a thread');
const port = parentPort;
const { time } = thisMachine;
const tell = (message: AuditMessage): void => port.postMessage(message);
const { locations, digests, accepted, share } = workerData as AuditThreadData;
const closing = new AbortController();
const { signal } = closing;

/** Milliseconds between two messages about the progress. */
const TELL_EVERY = 100;

const opening = Promise.all([
  openFollowedLog(locations.log, {
    broken: () => undefined,
    found: (finding) => tell({ kind: 'found', finding }),
    notice: () => undefined,
  }),
  openReadViews(locations.views),
]);
let running: Promise<void> = Promise.resolve();

port.on('message', (request: AuditRequest) => {
  if (request === 'close') {
    closing.abort();
    void close();
    return;
  }
  running = run(request.job).catch((error: unknown) =>
    tell({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) }),
  );
});

async function run(job: Extract<AuditRequest, object>['job']): Promise<void> {
  const [{ log }, { views, snapshots }] = await opening;
  const pauses = new Pauses(time, share, signal);
  let told = time.monotonic();
  const result = await auditPass({ log, views, snapshots, digests, accepted, time }, job, {
    fault: (fault) => tell({ kind: 'fault', fault }),
    found: (finding) => tell({ kind: 'found', finding }),
    between(position) {
      if (position > 0n && time.monotonic() - told >= TELL_EVERY) {
        told = time.monotonic();
        tell({ kind: 'progress', position });
      }
      return pauses.between();
    },
    signal,
  });
  if (signal.aborted) tell({ kind: 'failed', reason: 'the audit was ended' });
  else tell({ kind: 'end', result });
}

async function close(): Promise<void> {
  await running;
  const [{ log }, read] = await opening;
  await log.close();
  await read.close();
  port.close();
}
