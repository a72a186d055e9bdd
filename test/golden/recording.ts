import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { LedgerLine } from '#adapters/sandbox-gateway';
import type { Json } from '../support/running-service.js';

/** Who sends a request: a partner with a key or with their v3 password, an operator or auditor with a token, or nobody. */
export type As = 'acme' | 'rival' | 'revoked' | 'acme-v3' | 'operator' | 'auditor' | 'nobody';

/** One request of a recording. */
export interface RecordedRequest {
  readonly as: As;
  readonly method: string;
  readonly path: string;
  readonly body?: Json;
  /** The Idempotency-Key. */
  readonly repeats?: string;
  /**
   * How an answer must compare with the recorded one:
   * - `bytes`: same status, type and bytes;
   * - `says`: same status, and everything that the recorded answer says; another build may say more;
   * - `shows`: same status, and a page with these words;
   * - `refuses`: same status and type of error.
   */
  readonly contract: 'bytes' | 'says' | 'shows' | 'refuses';
  readonly words?: readonly string[];
}

/** A request with its answer. */
export interface RecordedAnswer extends RecordedRequest {
  readonly status: number;
  readonly type: string;
  /** The bytes in base64 where they are not text. */
  readonly base64?: string;
  readonly text?: string;
}

/** A sale that was acknowledged. */
export interface Acknowledged {
  readonly id: string;
  readonly coupons: readonly string[];
}

/** Cents and numbers of requests in the gateway's ledger. */
export interface Money {
  readonly lines: number;
  readonly approved: number;
  readonly refunded: number;
}

/** What a build wrote, and what it answered. */
export interface Recording {
  /** The commit of the build. */
  readonly build: string;
  readonly log: 'embedded' | 'eventstoredb';
  /** The prefix of a log on a server. Absent: no prefix, the former default. */
  readonly prefix?: string;
  /** Whether the gateway ran in a process of its own. Absent: in the service. */
  readonly gateway?: 'process';
  /** The codes of findings that a start must accept (ACCEPT). Absent: none. */
  readonly accepts?: string;
  /** ISO 8601: the time of the machine's clock at the end. */
  readonly at: string;
  readonly publicUrl: string;
  readonly credentials: Readonly<Record<'acme' | 'rival' | 'revoked' | 'acme-v3', string>>;
  readonly answers: readonly RecordedAnswer[];
  /** What callers had been told when the build was killed. */
  readonly acknowledged: readonly Acknowledged[];
  /** A request under a key that was running when the build was killed. */
  readonly running: RecordedRequest;
  /** The purchases whose outcome was unknown. */
  readonly pending: readonly string[];
  readonly money: Money;
  /** What this build can sell. */
  readonly sells: {
    readonly deal: string;
    readonly price: number;
    readonly user: string;
    readonly card: string;
    /** An open hold. */
    readonly held: string;
  };
}

/** The files of a golden folder: the build's answers, and its data folder, each packed with Brotli. */
const [RECORDED, DATA] = ['recorded.json.br', 'data.json.br'];
/** The double's log, beside the data folder. */
const DOUBLE = 'eventstoredb.log.br';
/** The ledger of a gateway in a process of its own, also beside it. */
const LEDGER = 'sandbox-gateway.jsonl.br';
/** Files without data: the lock is an open transaction, and SQLite creates the index of a WAL again. */
const LEFT_OUT = /^lock\.db|-shm$/;

const pack = (file: string, content: Buffer | string): void => writeFileSync(file, brotliCompressSync(content));
const packedIn = (file: string): Buffer => brotliDecompressSync(readFileSync(file));
const objectIn = (file: string): unknown => JSON.parse(packedIn(file).toString());

export function readRecording(golden: string): Recording {
  return objectIn(join(golden, RECORDED)) as Recording;
}

/** Packs a data folder as it is, and the build's answers. */
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

/** Unpacks the data of a golden folder into an empty folder. */
export function unpack(golden: string, dataDir: string): void {
  for (const [path, content] of Object.entries(objectIn(join(golden, DATA)) as Record<string, string>)) {
    const file = join(dataDir, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, content, { encoding: 'latin1', mode: 0o600 });
  }
}

/** Packs the double's file with the log. */
export function packDouble(golden: string, file: string): void {
  pack(join(golden, DOUBLE), readFileSync(file));
}

/** Unpacks that file. */
export function unpackDouble(golden: string, file: string): void {
  writeFileSync(file, packedIn(join(golden, DOUBLE)));
}

/** Packs the ledger of a gateway in a process of its own. */
export function packLedger(golden: string, file: string): void {
  pack(join(golden, LEDGER), readFileSync(file));
}

/** Unpacks that ledger. */
export function unpackLedger(golden: string, file: string): void {
  writeFileSync(file, packedIn(join(golden, LEDGER)));
}

/** The totals that the gateway took and gave back. */
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
