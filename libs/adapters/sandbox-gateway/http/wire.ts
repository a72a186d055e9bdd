import { z } from 'zod';
import type { LedgerMark } from '#eventsourcing/ports';

/** The protocol between the sandbox's client and server: JSON over POST with a path per call; GET for the ledger. */
export const LEDGER = '/ledger';
export const CHARGES = '/charges';
export const REFUNDS = '/refunds';
export const CANCELLATIONS = '/cancellations';
/** The lines of the caller's installation after the mark in `MARK_HEADER`, one part. */
export const LINES = '/lines';

/** The installation that asks; it stands in the ledger's lines. */
export const INSTALLATION_HEADER = 'sandbox-installation';

/** The ledger that a call is for. Another ledger does nothing and answers with this status. */
export const LEDGER_HEADER = 'sandbox-ledger';
export const OTHER_LEDGER = 412;

/**
 * In every answer: how far the ledger is on disk. In a request: how far it is known to be. A ledger that has not come so far
 * is an older copy and gives the same answer.
 */
export const MARK_HEADER = 'sandbox-mark';

/** A mark as a header. */
export function markText({ size, digest }: Pick<LedgerMark, 'size' | 'digest'>): string {
  return `${size}:${digest}`;
}

/** The mark in a header; undefined if it has none. */
export function parseMark(identity: string, text: string): LedgerMark | undefined {
  const [, size, digest] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  return size === undefined || digest === undefined ? undefined : { identity, size: Number(size), digest };
}

const key = z.string().min(1).max(200);
const amount = z.int().min(0);

export const CHARGE = z.object({
  key,
  amount,
  card: z.object({
    number: z.string().regex(/^\d{13,19}$/),
    month: z.string().regex(/^\d\d$/),
    year: z.string().regex(/^\d{4}$/),
    zip_code: z.string().max(200),
    verification_value: z.string().max(4).optional(),
  }),
});
export const REFUND = z.object({ key, charge: key, amount });
export const CANCELLATION = z.object({ key });

const reference = z.string().min(1).max(200).nullable();

export const CHARGED = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('approved'), reference }),
  z.object({ kind: z.literal('declined'), reason: z.string(), reference }),
  z.object({ kind: z.literal('cancelled'), reference }),
]);
export const REFUNDED = z.object({ reference });
export const CANCELLED = z.object({ amount, reference });

export const NAMED = z.object({
  identity: z.string().min(1).max(200),
  mark: z.string(),
  /** Whether the ledger has what the request's mark says. */
  reached: z.boolean(),
});

/** A mark without its ledger's identity, as in headers. */
const markIn = z.string().regex(/^\d{1,15}:[0-9a-f]{64}$/);

export const LINES_FOUND = z.object({
  entries: z.array(z.object({ kind: z.enum(['charge', 'refund', 'cancel']), key, charge: key, amount })),
  end: markIn,
  more: z.boolean(),
});

/** The body of an answer other than 200. It never repeats the request. */
export const REFUSED = z.object({ error: z.string() });
