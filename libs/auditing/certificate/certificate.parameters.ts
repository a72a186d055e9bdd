import { z } from 'zod';
import { optional, text } from '#http';

/** The largest position of any engine. */
const LARGEST = 2n ** 63n - 1n;

/** The part of a deal's events that an export or a certificate covers. */
export const PART_OF_DEAL = z.object({
  until: optional(
    text('line').transform((input, context): bigint => {
      if (/^\d{1,19}$/.test(input) && BigInt(input) <= LARGEST) return BigInt(input);
      context.addIssue({ code: 'custom', message: 'must be a position in digits' });
      return z.NEVER;
    }),
  ).describe('The position of the last event of the log to look at, in digits; the end of the log if absent.'),
});
