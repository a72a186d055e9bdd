import { parentPort, workerData } from 'node:worker_threads';
import { thisMachine } from '#adapters/machine';
import { lookAtFiles, lookAtKept, lookAtRights, lookAtRoom } from './folder-look.js';
import type { FolderMessage, FolderParts, FolderThreadData } from './folder-thread.js';

// Looks at a data folder beside the checks that ask servers: a disk that hangs holds up no other check.
if (parentPort === null) throw new Error('this file is the entry of a thread');
const port = parentPort;
const settings = workerData as FolderThreadData;

const LOOKS: { readonly [Part in keyof FolderParts]: () => FolderParts[Part] | Promise<FolderParts[Part]> } = {
  rights: () => lookAtRights(settings),
  room: () => lookAtRoom(settings),
  files: () => lookAtFiles(settings, thisMachine),
  kept: () => lookAtKept(settings, thisMachine.time.wall()),
};

for (const part of Object.keys(LOOKS) as (keyof FolderParts)[]) {
  try {
    port.postMessage({ part, found: await LOOKS[part]() } satisfies FolderMessage);
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    port.postMessage({ part, failed } satisfies FolderMessage);
  }
}
port.close();
