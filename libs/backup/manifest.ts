import { z } from 'zod';
import { parsedJson } from '#kernel';
import { BackupRefused, damaged } from './damaged.js';
import type { FileSeal } from './file-seal.js';

/** The file that lists what belongs to a backup. */
export const BACKUP_FILE = 'backup.json';
/** The format that this build writes and reads. */
export const BACKUP_FORMAT = 1;

const SHA256 = z.string().regex(/^[0-9a-f]{64}$/);
const POSITION = z.string().regex(/^\d{1,20}$/);
const FILE = { bytes: z.int().min(0), sha256: SHA256 };

const SEGMENT = z.strictObject({
  number: z.int().min(1),
  /** The positions of its first and last event, and the id of the last one. */
  first: POSITION,
  last: POSITION,
  last_id: z.string(),
  /** The time of its last event, in milliseconds since 1970. */
  last_time: z.int(),
  count: z.int().min(1),
  ...FILE,
  /** Of the segment before it; zeros for the first one. */
  previous: SHA256,
});

const COPY = z.strictObject({
  /** Its folder in `states`. */
  name: z.string().regex(/^[0-9TZ]{10,30}$/),
  /** When it was taken, in milliseconds since 1970. */
  at: z.int(),
  /** The engine that had the log, and the log's identity there. */
  engine: z.string(),
  log: z.string(),
  /** The gateway's ledger that knows the log's charges; null if there is none. */
  ledger: z.string().nullable(),
  /** How many segments of the log belong to it, and their events. */
  segments: z.int().min(0),
  events: z.int().min(0),
  /** Its state files in order: a later line replaces an earlier one. */
  state: z.array(z.strictObject({ number: z.int().min(1), ...FILE })),
  /** The copy of the file of erasures, which has another name when there are more of them; null if there was none. */
  erasures: z
    .strictObject({ name: z.string().regex(/^erasures(-\d+)?\.jsonl$/), count: z.int().min(0), ...FILE })
    .nullable(),
});

const MANIFEST = z.strictObject({
  holdfast: z.literal('backup'),
  format: z.literal(BACKUP_FORMAT),
  installation: z.string().min(1).max(100),
  /** Whether its files are encrypted. */
  encrypted: z.boolean(),
  segments: z.array(SEGMENT),
  copies: z.array(COPY),
  /** What follows the last copy, in an open file of blocks; null if nothing does. */
  tail: z.strictObject({ number: z.int().min(1), copy: z.string() }).nullable(),
});

/** A sealed part of the log. */
export type Segment = z.output<typeof SEGMENT>;
/** The state at one moment, with the part of the log that belongs to it. */
export type Copy = z.output<typeof COPY>;
/** What belongs to a backup. */
export type Manifest = z.output<typeof MANIFEST>;

/** The hash before that of the first segment. */
export const NO_SEGMENT = '0'.repeat(64);

/** The paths of files in a backup. */
export const segmentPath = ({ number }: Pick<Segment, 'number'>): string =>
  `log/${String(number).padStart(8, '0')}.ndjson.zst`;
export const statePath = (copy: Pick<Copy, 'name'>, number: number): string =>
  `states/${copy.name}/state-${number}.ndjson.zst`;
export const erasuresPath = (copy: Pick<Copy, 'name'>, erasures: Pick<NonNullable<Copy['erasures']>, 'name'>): string =>
  `states/${copy.name}/${erasures.name}`;
export const tailPath = (number: number): string => `tail/${number}.blocks`;

/** A backup without anything. */
export function emptyManifest(installation: string, encrypted: boolean): Manifest {
  return { holdfast: 'backup', format: BACKUP_FORMAT, installation, encrypted, segments: [], copies: [], tail: null };
}

/**
 * When the newest copy in a manifest was taken, in milliseconds since 1970, and the number of the tail that follows it. Nothing is
 * checked: whoever only wants to know its age needs no key.
 * @returns undefined if the text is no manifest, or has no copy
 */
export function newestCopyIn(text: string): { readonly at: number; readonly tail: number | undefined } | undefined {
  const found = MANIFEST.safeParse(parsedJson(bodyOf(text)));
  const at = found.data?.copies.at(-1)?.at;
  return at === undefined ? undefined : { at, tail: found.data?.tail?.number };
}

/** The text without the proof at its end. */
const bodyOf = (text: string): string => text.slice(0, Math.max(0, text.lastIndexOf('\n', text.length - 2)));

/** The text of the manifest: it ends with a proof of all before it. */
export function manifestText(manifest: Manifest, seal: FileSeal): string {
  const body = JSON.stringify(manifest, null, 1);
  return `${body}\n${seal.proof(body)}\n`;
}

/**
 * The manifest in a text.
 * @param file names the text in errors
 * @throws BackupRefused if it is damaged, of a newer format, or under another key
 */
export function parseManifest(file: string, text: string, seal: FileSeal): Manifest {
  const body = bodyOf(text);
  const found = parsedJson(body) as Partial<Record<keyof Manifest, unknown>> | undefined;
  if (found?.holdfast === 'backup' && typeof found.format === 'number' && found.format > BACKUP_FORMAT) {
    throw new BackupRefused(
      `${file} has the newer format ${found.format}, and this build reads only ${BACKUP_FORMAT}: use the build that wrote it`,
    );
  }
  if (found?.holdfast === 'backup' && typeof found.encrypted === 'boolean' && found.encrypted !== seal.encrypts) {
    throw new BackupRefused(
      found.encrypted
        ? `${file} is of an encrypted backup: name its key with --key-file`
        : `${file} is of a backup that is not encrypted: leave --key-file out, or name another folder`,
    );
  }
  if (text !== `${body}\n${seal.proof(body)}\n`) {
    throw seal.encrypts
      ? new BackupRefused(
          `${file} is damaged, or was written with another key than that of --key-file: name its own key; ` +
            'if this is its key, use another copy of the backup, or begin a new one in another folder',
        )
      : damaged(file, 'is damaged');
  }
  const parsed = MANIFEST.safeParse(found);
  if (!parsed.success) throw damaged(file, 'is damaged');
  return parsed.data;
}
