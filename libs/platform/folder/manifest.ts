import { join } from 'node:path';
import { z } from 'zod';
import { FORMAT, OtherFormat, writeSecretFile } from '#eventsourcing';
import { PUT_BACK, readWithin } from '#files';
import { parsedJson } from '#kernel';
import { FILES } from '#kernel/bounds';

/** The file that lists what belongs to a data folder. */
export const MANIFEST_FILE = 'holdfast.json';

/** What makes a new one possible. */
const ANOTHER = 'delete the folder, or name another one';

const MANIFEST = z.object({
  format: z.literal(FORMAT),
  /** The installation that the folder belongs to. */
  installation: z.string(),
  /** The log's identity, in the folder or on a server. */
  log: z.string(),
  /** The identity of the sandbox gateway's ledger; null if the gateway has always run elsewhere. */
  ledger: z.string().nullable(),
  /** How often the service has started on the folder. */
  starts: z.int().min(1),
  /** The files that every start must find. */
  files: z.array(z.string()),
  /** Where the folder was at its last start: a copy says where the original is. */
  at: z.string(),
});

/** The owner of a data folder, and the files that belong to it. */
export type Manifest = Omit<z.output<typeof MANIFEST>, 'format'>;

/**
 * The folder's manifest; undefined if there is none.
 * @throws Error for people to read if it is damaged; OtherFormat if another build wrote the folder
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
  const found = parsedJson(text);
  const parsed = MANIFEST.safeParse(found);
  if (parsed.success) return parsed.data;
  if (typeof found === 'object' && found !== null && 'installation' in found) {
    const { format } = found as { readonly format?: unknown };
    if (format !== FORMAT) throw new OtherFormat(`the data folder ${dataDir} (DATA_DIR)`, format, ANOTHER);
  }
  throw new Error(`${file} is damaged: ${PUT_BACK}`);
}

/** Writes the manifest durably, readable by its owner only. */
export function writeManifest(dataDir: string, manifest: Manifest): void {
  writeSecretFile(join(dataDir, MANIFEST_FILE), `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`);
}
