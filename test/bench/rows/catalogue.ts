import type { Bench } from '../bench.js';
import type { Cleanup } from '../cleanup.js';
import { cachedFolder } from '../folders/cached-folder.js';
import { scaled, type FolderNotes, type FolderSpec } from '../folders/folder-spec.js';
import type { Holdfast } from '../servers/holdfast.js';

/** A service on a copy of a large data folder. */
export interface Opened {
  readonly holdfast: Holdfast;
  readonly notes: FolderNotes;
}

/** A copy of a large data folder, at the scale of the run. */
export function copyOf(bench: Bench, spec: FolderSpec): ReturnType<typeof cachedFolder> {
  const { folder, progress } = bench;
  return cachedFolder(
    scaled(spec, (number) => bench.sized(number)),
    bench.newFolder(),
    folder,
    progress,
  );
}

/** Starts a service on such a copy. */
export async function openFolder(bench: Bench, cleanup: Cleanup, spec: FolderSpec): Promise<Opened> {
  const { dataDir, notes } = await copyOf(bench, spec);
  return { holdfast: await bench.start(cleanup, dataDir), notes };
}

/** The same, for several rows. */
export function openPlace(bench: Bench, spec: FolderSpec): Promise<Opened> {
  return bench.place(spec.name, (cleanup) => openFolder(bench, cleanup, spec));
}
