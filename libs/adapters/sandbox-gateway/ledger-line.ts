import { readFileSync } from 'node:fs';
import type { Instant } from '#kernel';

interface Done {
  /** The charge's key, or the refund's own. */
  readonly key: string;
  /** Cents. */
  readonly amount: number;
  readonly at: Instant;
  /** Under which name it is told of; lines of earlier builds have none. */
  readonly reference?: string;
}

/** `silent`: nothing was taken, and nothing was said; the repeat of the charge gets a line of its own. */
export interface ChargeLine extends Done {
  readonly kind: 'charge';
  readonly outcome: 'approved' | 'declined' | 'cancelled' | 'silent';
  readonly last4: string;
  /** Why it was declined. */
  readonly reason?: string;
}

export interface RefundLine extends Done {
  readonly kind: 'refund';
  /** The key of the charge that it gives back from. */
  readonly charge: string;
  readonly outcome: 'refunded';
}

/** `amount` is what was given back; 0 where there was nothing. */
export interface CancelLine extends Done {
  readonly kind: 'cancel';
  readonly outcome: 'refunded' | 'closed';
}

/** One thing that the sandbox has done, for ever. These lines are on disk; no card number ever is (ruling D8). */
export type LedgerLine = ChargeLine | RefundLine | CancelLine;

/**
 * The lines of a ledger, in order; of a missing file none. What stands behind the last end of a line was cut off by a crash
 * before anybody was told of it, and is left out.
 * @throws Error that names file and line where a whole line is damaged
 */
export function readLedger(file: string): LedgerLine[] {
  return parseLedger(file).lines;
}

/** The same, with the bytes that they fill. */
export function parseLedger(file: string): { readonly lines: LedgerLine[]; readonly size: number } {
  const content = contentOf(file);
  const size = content.lastIndexOf('\n') + 1;
  const lines = content
    .subarray(0, size)
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line, index) => parseLine(line, `${file}, line ${index + 1}`));
  return { lines, size };
}

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

function parseLine(line: string, place: string): LedgerLine {
  try {
    return JSON.parse(line) as LedgerLine;
  } catch {
    throw new Error(`${place} is damaged: this is no ledger of the sandbox gateway`);
  }
}
