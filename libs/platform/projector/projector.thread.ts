import { parentPort, workerData } from 'node:worker_threads';
import { thisMachine } from '#adapters/machine';
import { openFollowedLog, openViews } from '../engines/locations.js';
import { takeLibraryWords } from '../log/library-words.js';
import { newProjector } from './new-projector.js';
import type { ProjectorMessage, ProjectorRequest, ProjectorThreadData } from './projector-thread.js';

// Builds the views in its own thread, beside the one that answers calls.
if (parentPort === null) throw new Error('this file is the entry of a thread');
const port = parentPort;
const tell = (message: ProjectorMessage): void => port.postMessage(message);
const notice = (text: string): void => tell({ kind: 'notice', text });
takeLibraryWords({ warning: (name, message) => notice(`${name}: ${message}`), printed: notice });
const { locations, dueRows, accepted, seenBefore, signals, traced } = workerData as ProjectorThreadData;
const followed = await openFollowedLog(locations.log, {
  broken: () => tell({ kind: 'broken' }),
  found: (finding) => tell({ kind: 'found', finding }),
  notice,
});
const opened = await openViews(locations.views, notice);
const projector = newProjector(
  { log: followed.log, store: opened.store, time: thisMachine.time },
  { dueRows, accepted, seenBefore, signals, traced },
  {
    report: (report, batch) => tell({ kind: 'report', report, batch }),
    notice,
    found: (finding) => tell({ kind: 'found', finding }),
  },
);
port.on('message', (request: ProjectorRequest) => {
  if (request === 'look') {
    followed.notify();
    return;
  }
  if (request === 'hurry') {
    projector.hurry();
    return;
  }
  if (request === 'close') {
    void projector.close().then(async () => {
      await followed.log.close();
      await opened.close();
      port.close();
    });
    return;
  }
  if ('damage' in request) {
    void projector.damaged(request.damage);
    return;
  }
  const { number, order } = request;
  projector.order(order).then(
    (outcome) => tell({ kind: 'answer', number, outcome }),
    (error: unknown) =>
      tell({ kind: 'failed', number, reason: error instanceof Error ? error.message : String(error) }),
  );
});
await projector.start();
try {
  await projector.running;
} catch (error) {
  tell({ kind: 'seen', seen: projector.seen });
  throw error;
}
