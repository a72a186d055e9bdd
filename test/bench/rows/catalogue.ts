import type { Bench } from '../bench.js';
import type { Cleanup } from '../cleanup.js';
import { cachedFolder, type OpenedFolder } from '../folders/cached-folder.js';
import { scaled, type FolderNotes, type FolderSpec } from '../folders/folder-spec.js';
import { makeFolder } from '../folders/make-folder.js';
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

/** Most of a cluster's data is on its servers: it is made for each run, and so much smaller. */
const SCALE_OF_CLUSTER = 0.02;

async function madeFor(bench: Bench, spec: FolderSpec): Promise<Pick<OpenedFolder, 'dataDir' | 'notes'>> {
  const { folder, progress, cluster } = bench;
  const dataDir = bench.newFolder();
  const small = scaled(spec, (number) => bench.sized(SCALE_OF_CLUSTER * number));
  return { dataDir, notes: { ...(await makeFolder(dataDir, folder, small, progress, cluster)), build: '' } };
}

/** Starts a service on such a copy. */
export async function openFolder(bench: Bench, cleanup: Cleanup, spec: FolderSpec): Promise<Opened> {
  const { dataDir, notes } = await (bench.cluster === undefined ? copyOf(bench, spec) : madeFor(bench, spec));
  return { holdfast: await bench.start(cleanup, dataDir), notes };
}

/** The same, for several rows. */
export function openPlace(bench: Bench, spec: FolderSpec): Promise<Opened> {
  return bench.place(spec.name, (cleanup) => openFolder(bench, cleanup, spec));
}
