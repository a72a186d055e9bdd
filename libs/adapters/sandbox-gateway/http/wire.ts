import { z } from 'zod';
import type { LedgerMark } from '#eventsourcing/ports';

/** What client and server of the sandbox say to each other: JSON over POST, a path per call; the ledger is asked for by GET. */
export const LEDGER = '/ledger';
export const CHARGES = '/charges';
export const REFUNDS = '/refunds';
export const CANCELLATIONS = '/cancellations';

/** The ledger that a call is for: where it comes to another one, nothing is done, and the answer has this status. */
export const LEDGER_HEADER = 'sandbox-ledger';
export const OTHER_LEDGER = 412;

/**
 * How far the ledger is on disk, with every answer of a call; and in a request, how far it is known to be: where it has not
 * come so far, it is an older copy, and the same is answered.
 */
export const MARK_HEADER = 'sandbox-mark';

/** A mark as a header. */
export function markText({ size, digest }: Pick<LedgerMark, 'size' | 'digest'>): string {
  return `${size}:${digest}`;
}

/** What a header says of a ledger; undefined for what is none. */
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

/** One of an earlier build says no more than its identity. */
export const NAMED = z.object({
  identity: z.string().min(1).max(200),
  mark: z.string().optional(),
  /** Whether it has what the request's mark says. */
  reached: z.boolean().optional(),
});

/** The body of an answer other than 200. It never repeats what was asked. */
export const REFUSED = z.object({ error: z.string() });
