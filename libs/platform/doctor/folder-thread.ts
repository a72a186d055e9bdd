import { Worker } from 'node:worker_threads';
import type { Files, Kept, LookedAt, Rights, Room } from './folder-look.js';

/** What the thread reads the folder with. */
export type FolderThreadData = LookedAt;

/** What is found about a data folder, in the order in which it is read. */
export interface FolderParts {
  readonly rights: Rights;
  readonly room: Room;
  readonly files: Files;
  readonly kept: Kept | undefined;
}

export type FolderMessage = { readonly part: keyof FolderParts } & (
  | { readonly found: FolderParts[keyof FolderParts] }
  | { readonly failed: string }
);

/** The parts as they come. */
export type FolderLook = { readonly [Part in keyof FolderParts]: Promise<FolderParts[Part]> };

/** Begins to look at a data folder. @param ended aborts when nobody waits for it any more */
export function lookAtFolder(settings: FolderThreadData, ended: AbortSignal): FolderLook {
  const parts = {
    rights: Promise.withResolvers<Rights>(),
    room: Promise.withResolvers<Room>(),
    files: Promise.withResolvers<Files>(),
    kept: Promise.withResolvers<Kept | undefined>(),
  };
  const worker = new Worker(new URL('./folder.thread.js', import.meta.url), { name: 'folder', workerData: settings });
  const all = Object.values(parts);
  const fail = (error: Error): void => all.forEach(({ reject }) => reject(error));
  // Nobody may wait for a part that was not read.
  for (const { promise } of all) promise.catch(() => undefined);
  worker.on('message', (message: FolderMessage) => {
    const { resolve, reject } = parts[message.part] as PromiseWithResolvers<unknown>;
    if ('failed' in message) reject(new Error(message.failed));
    else resolve(message.found);
  });
  worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', () => fail(new Error('the look at the folder has ended')));
  ended.addEventListener('abort', () => void worker.terminate(), { once: true });
  return {
    rights: parts.rights.promise,
    room: parts.room.promise,
    files: parts.files.promise,
    kept: parts.kept.promise,
  };
}
