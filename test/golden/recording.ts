import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { LedgerLine } from '#adapters/sandbox-gateway';
import type { Json } from '../support/running-service.js';

/** Who sends a request: a partner with a key, or with their v3 password, somebody with a token, or nobody. */
export type As = 'acme' | 'rival' | 'revoked' | 'acme-v3' | 'operator' | 'auditor' | 'nobody';

/** One request of a recording. */
export interface Asked {
  readonly as: As;
  readonly method: string;
  readonly path: string;
  readonly body?: Json;
  /** Sent as Idempotency-Key. */
  readonly repeats?: string;
  /**
   * How its answer is held to the recorded one:
   * - `bytes`: status, type and every byte;
   * - `says`: status, and all that the recorded answer says, beside which another build may say more;
   * - `shows`: status, and a page with these words;
   * - `refuses`: status and type of error.
   */
  readonly contract: 'bytes' | 'says' | 'shows' | 'refuses';
  readonly words?: readonly string[];
}

/** A request with its answer. */
export interface Answered extends Asked {
  readonly status: number;
  readonly type: string;
  /** The bytes in base64 where they are no text. */
  readonly base64?: string;
  readonly text?: string;
}

/** Something that was said yes to. */
export interface Acknowledged {
  readonly id: string;
  readonly coupons: readonly string[];
}

/** Cents and requests in the gateway's ledger. */
export interface Money {
  readonly lines: number;
  readonly approved: number;
  readonly refunded: number;
}

/** What a build wrote, and what it said of it. */
export interface Recording {
  /** The build that wrote it, as git names it. */
  readonly build: string;
  readonly log: 'embedded' | 'eventstoredb';
  /** Of the log, where that was on a server. Absent: it had none, as was the default before. */
  readonly prefix?: string;
  /** ISO 8601: what the machine's clock said at the end. */
  readonly at: string;
  readonly publicUrl: string;
  readonly credentials: Readonly<Record<'acme' | 'rival' | 'revoked' | 'acme-v3', string>>;
  readonly answers: readonly Answered[];
  /** What callers had been told when the build was killed. */
  readonly acknowledged: readonly Acknowledged[];
  /** A request under a key that was on its way when the build was killed. */
  readonly running: Asked;
  /** Of purchases whose outcome nobody knew. */
  readonly pending: readonly string[];
  readonly money: Money;
  /** What can be sold from. */
  readonly sells: {
    readonly deal: string;
    readonly price: number;
    readonly user: string;
    readonly card: string;
    /** A hold that was open. */
    readonly held: string;
  };
}

/** In a golden folder: what the build said, and its data folder as it lay, each packed (Brotli). */
const [RECORDED, DATA] = ['recorded.json.br', 'data.json.br'];
/** The double's log, beside the data folder. */
const DOUBLE = 'eventstoredb.log.br';
/** Tells nothing: an open transaction on it is the lock. SQLite makes the index of a WAL anew. */
const LEFT_OUT = /^lock\.db|-shm$/;

const pack = (file: string, content: Buffer | string): void => writeFileSync(file, brotliCompressSync(content));
const packedIn = (file: string): Buffer => brotliDecompressSync(readFileSync(file));
const objectIn = (file: string): unknown => JSON.parse(packedIn(file).toString());

export function readRecording(golden: string): Recording {
  return objectIn(join(golden, RECORDED)) as Recording;
}

/** Packs a data folder as it lies, and what the build said. */
export function writeGolden(golden: string, dataDir: string, recording: Recording): void {
  mkdirSync(golden, { recursive: true });
  pack(join(golden, RECORDED), `${JSON.stringify(recording, null, 2)}\n`);
  const files: Record<string, string> = {};
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || LEFT_OUT.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    files[file.slice(dataDir.length + 1)] = readFileSync(file, 'latin1');
  }
  pack(join(golden, DATA), JSON.stringify(files));
}

/** Lays the data of a golden folder out into an empty one. */
export function unpack(golden: string, dataDir: string): void {
  for (const [path, content] of Object.entries(objectIn(join(golden, DATA)) as Record<string, string>)) {
    const file = join(dataDir, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, content, { encoding: 'latin1', mode: 0o600 });
  }
}

/** Packs the file of the double that a log was on. */
export function packDouble(golden: string, file: string): void {
  pack(join(golden, DOUBLE), readFileSync(file));
}

/** Lays that file out. */
export function unpackDouble(golden: string, file: string): void {
  writeFileSync(file, packedIn(join(golden, DOUBLE)));
}

/** What the gateway took and gave back, in all. */
export function moneyOf(ledger: readonly LedgerLine[]): Money {
  const total = (of: readonly LedgerLine[]): number => of.reduce((sum, { amount }) => sum + amount, 0);
  return {
    lines: ledger.length,
    approved: total(ledger.filter(({ kind, outcome }) => kind === 'charge' && outcome === 'approved')),
    refunded: total(ledger.filter(({ kind }) => kind !== 'charge')),
  };
}

/** The golden folders of this tree. */
export function goldenFolders(): readonly string[] {
  return readdirSync('test/golden', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join('test/golden', name));
}
