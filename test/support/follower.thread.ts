import { parentPort, workerData } from 'node:worker_threads';
import { EventStoreDbLogReader } from '#adapters/eventstoredb';

/** Follows a log in a thread of its own, posts the position and the place of each event, and ends on request. */
const reader = await EventStoreDbLogReader.open(workerData as { url: string });
const stop = new AbortController();
parentPort?.once('message', () => stop.abort());
for await (const { events } of reader.subscribe(0n, 100, stop.signal)) {
  for (const { stream, revision, position } of events) parentPort?.postMessage({ stream, revision, position });
}
await reader.close();
