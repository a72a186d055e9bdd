import { createHash } from 'node:crypto';
import { FORMAT, type LedgerMark, OtherFormat } from '#eventsourcing/ports';
import { PUT_BACK, readWithin } from '#files';
import type { Instant } from '#kernel';
import { FILES } from '#kernel/bounds';
import type { LedgerEntry } from '#purchasing/ports';

interface Done {
  /** The charge's key, or the refund's own. */
  readonly key: string;
  /** Cents. */
  readonly amount: number;
  readonly at: Instant;
  /** The reference in answers. */
  readonly reference: string;
  /** The installation that asked for it; several may share a ledger. Empty for callers that name none. */
  readonly installation: string;
}

/** `silent`: nothing was taken and there was no answer; the repeat of the charge gets its own line. */
export interface ChargeLine extends Done {
  readonly kind: 'charge';
  readonly outcome: 'approved' | 'declined' | 'cancelled' | 'silent';
  readonly last4: string;
  /** Why the charge was declined. */
  readonly reason?: string;
}

export interface RefundLine extends Done {
  readonly kind: 'refund';
  /** The key of the refunded charge. */
  readonly charge: string;
  readonly outcome: 'refunded';
}

/** `amount` is the returned money; 0 if there was none. */
export interface CancelLine extends Done {
  readonly kind: 'cancel';
  readonly outcome: 'refunded' | 'closed';
}

/** One thing that the sandbox has done. The lines stay for ever on disk; they never contain a card number (ruling D8). */
export type LedgerLine = ChargeLine | RefundLine | CancelLine;

/** Identifies the ledger: its first line. */
interface IdentityLine {
  readonly kind: 'ledger';
  readonly format: string;
  readonly identity: string;
}

/** What a ledger's file says before anything is written to it. */
export interface LedgerInspection {
  /** undefined if the file is empty, or holds less than its first line. */
  readonly identity: string | undefined;
  readonly lines: readonly LedgerLine[];
  /** Whether it still has what this mark says. */
  reaches(mark: LedgerMark): boolean;
  /** The lines after a mark that it reaches. */
  after(mark: LedgerMark): readonly LedgerLine[];
}

/**
 * Reads a ledger and writes nothing. Undefined if there is none.
 * @throws Error with a message for operators if it is damaged, or another build wrote it
 */
export function inspectLedger(file: string): LedgerInspection | undefined {
  const content = contentOf(file);
  if (content === undefined) return undefined;
  const { identity, lines, size } = parse(content, file);
  return {
    identity,
    lines,
    reaches: (mark) => mark.size <= size && endsWith(content.subarray(0, mark.size), mark),
    after: (mark) => linesIn(content.subarray(mark.size, size), file).lines,
  };
}

/** The line that identifies a ledger. */
export function identityLine(identity: string): string {
  return `${JSON.stringify({ kind: 'ledger', format: FORMAT, identity } satisfies IdentityLine)}\n`;
}

export function digestOf(line: string): string {
  return createHash('sha256').update(line).digest('hex');
}

/**
 * The lines of a ledger in order; none for a missing file. Leaves out a line that a crash cut off: nobody got an answer about it.
 * @throws Error that names file and line if a complete line is damaged
 */
export function readLedger(file: string): LedgerLine[] {
  return parseLedger(file).lines;
}

/** The same with the ledger's identity, the bytes of the lines, and the text of the last line. */
export function parseLedger(file: string): Parsed & { readonly last: string } {
  const content = contentOf(file) ?? Buffer.alloc(0);
  const parsed = parse(content, file);
  return { ...parsed, last: lastLine(content, parsed.size) };
}

interface Parsed {
  readonly identity: string | undefined;
  readonly lines: LedgerLine[];
  readonly size: number;
}

/**
 * What a power cut can leave of lines that were not synced: a part that is missing at the end, or reads as zeros, with or
 * without later parts. No line has a zero byte, so the synced lines end before the first one.
 */
function parse(content: Buffer, file: string): Parsed {
  const zero = content.indexOf(0);
  const written = zero === -1 ? content : content.subarray(0, zero);
  const size = written.lastIndexOf('\n') + 1;
  const lines: LedgerLine[] = [];
  let identity: string | undefined;
  const texts = content.subarray(0, size).toString().split('\n').slice(0, -1);
  for (const [index, text] of texts.entries()) {
    const line = parseLine(text, `${file}, line ${index + 1}`);
    if (index === 0) identity = identityIn(line, file);
    else lines.push(line as LedgerLine);
  }
  return { identity, lines, size };
}

/** What callers get of a line. */
export function entryOf(line: LedgerLine): LedgerEntry {
  const { kind, key, amount } = line;
  return { kind, key, charge: kind === 'refund' ? line.charge : key, amount };
}

/** The whole lines at the beginning of a part of a ledger: what they say, their bytes, and the text of the last one. */
export function linesIn(
  part: Buffer,
  file: string,
): { readonly lines: LedgerLine[]; readonly size: number; readonly last: string } {
  const size = part.lastIndexOf('\n') + 1;
  const texts = part.subarray(0, size).toString().split('\n').slice(0, -1);
  return { lines: texts.map((text) => parseLine(text, file) as LedgerLine), size, last: lastLine(part, size) };
}

/** Whether these bytes end with the mark's line. */
export function endsWith(bytes: Buffer, { digest }: LedgerMark): boolean {
  return digestOf(lastLine(bytes, bytes.length)) === digest;
}

/** The line that ends at this byte, with its line end. */
function lastLine(content: Buffer, end: number): string {
  const start = end < 2 ? 0 : content.lastIndexOf('\n', end - 2) + 1;
  return content.subarray(start, end).toString();
}

function contentOf(file: string): Buffer | undefined {
  let content: Buffer | undefined;
  try {
    content = readWithin(file, FILES.ledger);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (content !== undefined) return content;
  throw new Error(
    `${file} is larger than ${FILES.ledger} bytes, the most that the sandbox gateway keeps: it is for trying out. Name another DATA_DIR`,
  );
}

function parseLine(line: string, place: string): LedgerLine | IdentityLine {
  try {
    return JSON.parse(line) as LedgerLine | IdentityLine;
  } catch {
    throw new Error(`${place} is damaged, or this is no ledger of the sandbox gateway: ${PUT_BACK}`);
  }
}

function identityIn(first: object, file: string): string {
  const { kind, format, identity } = first as Partial<IdentityLine>;
  if (kind === 'ledger' && format === FORMAT && identity !== undefined) return identity;
  throw new OtherFormat(file, format, 'delete the file');
}
