import { z } from 'zod';

/** What client and server of the sandbox say to each other: JSON over POST, a path per call; the ledger is asked for by GET. */
export const LEDGER = '/ledger';
export const CHARGES = '/charges';
export const REFUNDS = '/refunds';
export const CANCELLATIONS = '/cancellations';

/** The ledger that a call is for: where it comes to another one, nothing is done, and the answer has this status. */
export const LEDGER_HEADER = 'sandbox-ledger';
export const OTHER_LEDGER = 412;

/** Bytes of a request or an answer; a charge has a few hundred. */
export const LARGEST_BODY = 16_384;

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

export const NAMED = z.object({ identity: z.string().min(1).max(200) });

/** The body of an answer other than 200. It never repeats what was asked. */
export const REFUSED = z.object({ error: z.string() });
