import { z } from 'zod';
import { oneOfWords, optional, text, words } from '#http';
import { COUPON_FILTERS } from './coupon.queries.js';
import { barcodeIn } from './find-coupon.js';

/** What narrows a list of coupons. */
export const FILTERS = z.object({
  filter: optional(words('filters', oneOfWords(COUPON_FILTERS))).describe(
    'Coupons in any of these states; all coupons if absent.',
  ),
  barcode: optional(barcode()).describe('The 12 digits of a barcode, also with the blanks of the printed page.'),
  // As deals keep their codes.
  redemption_code: optional(text('code').transform((code) => code.trim().normalize('NFC'))),
});

function barcode(): z.ZodType<string> {
  return text('line').transform((input, context): string => {
    const digits = barcodeIn(input);
    if (digits !== undefined) return digits;
    context.addIssue({ code: 'custom', message: 'must be the 12 digits of a barcode' });
    return z.NEVER;
  });
}
