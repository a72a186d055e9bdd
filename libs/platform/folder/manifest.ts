import { join } from 'node:path';
import { z } from 'zod';
import { readWithin, writeSecretFile } from '#eventsourcing';
import { FILES } from '#kernel/bounds';

/** The file that says what belongs to a data folder. */
export const MANIFEST_FILE = 'holdfast.json';
/** Raised with every change of what a data folder holds; a build uses only what it knows. */
const FORMAT = 1;

const MANIFEST = z.object({
  format: z.literal(FORMAT),
  /** Whose folder it is. */
  installation: z.string(),
  /** The log's identity, wherever the log is. */
  log: z.string(),
  /** The identity of the sandbox gateway's ledger; null while that has always run elsewhere. */
  ledger: z.string().nullable(),
  /** How often the service was started on it. */
  starts: z.int().min(1),
  /** What must be there at every start. */
  files: z.array(z.string()),
});

/** What belongs to a data folder, and to whom it belongs. */
export type Manifest = Omit<z.output<typeof MANIFEST>, 'format'>;

/**
 * The folder's manifest; undefined where there is none.
 * @throws Error in words when it is damaged, or a newer build wrote it
 */
export function readManifest(dataDir: string): Manifest | undefined {
  const file = join(dataDir, MANIFEST_FILE);
  let text: string;
  try {
    text = readWithin(file, FILES.manifest)?.toString() ?? '';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const found = asJson(text);
  const parsed = MANIFEST.safeParse(found);
  if (parsed.success) return parsed.data;
  const format = (found as { readonly format?: unknown } | null | undefined)?.format;
  if (typeof format === 'number' && format > FORMAT) {
    throw new Error(
      `${file} has the newer format ${format}, and this build of Holdfast knows only ${FORMAT}: start the build that wrote it`,
    );
  }
  throw new Error(`${file} is damaged: put its copy back`);
}

/** Writes the manifest, durably and for its owner alone. */
export function writeManifest(dataDir: string, manifest: Manifest): void {
  writeSecretFile(join(dataDir, MANIFEST_FILE), `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`);
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
