import { parentPort, workerData } from 'node:worker_threads';
import { EmbeddedLogReader, EmbeddedViewStore } from '#adapters/embedded';
import { Projector } from '#eventsourcing';
import { codec, views } from '../registry.js';
import type { ProjectorMessage, ProjectorRequest, ProjectorThreadData } from './projector-thread.js';

// Builds the views beside the thread that answers.
if (parentPort === null) throw new Error('this file is the entry of a thread');
const port = parentPort;
const { logFile, viewsFolder } = workerData as ProjectorThreadData;
const log = EmbeddedLogReader.open(logFile);
const projector = new Projector({
  log,
  store: EmbeddedViewStore.open(viewsFolder),
  codec,
  views,
  report: (report) => port.postMessage({ kind: 'report', report } satisfies ProjectorMessage),
});
port.on('message', (request: ProjectorRequest) => {
  if (request === 'look') {
    log.notify();
    return;
  }
  void projector.close().then(async () => {
    await log.close();
    port.close();
  });
});
await projector.start();
await projector.running;
