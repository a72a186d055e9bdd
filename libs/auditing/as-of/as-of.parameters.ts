import { z } from 'zod';
import { type AsOf, instantOfText, optional, oneOfWords, text } from '#http';
import type { Instant } from '#kernel';

/** What a caller asks for: the value of a header, or an instant alone, which means all events up to it. */
export type AskedAsOf = AsOf | { readonly number?: undefined; readonly instant: Instant };

/** The shapes of answers. */
export const SHAPES = ['v1', 'v3', 'reseller'] as const;
export type Shape = (typeof SHAPES)[number];

const HEADER = /^(\d{1,15})@([^@~]+)~(\d{1,9})$/;
const FORM =
  'must be the value of Holdfast-As-Of of an answer, such as 4711@2027-01-31T12:00:00.000Z~1, or a time such as 2027-01-31T12:00:00Z';

/** The parameters of the calls that answer as of a time. */
export const AS_OF_PARAMETERS = z.object({
  // A blank one is refused: an auditor whose program lost the value must not take the present for the past.
  as_of: asOf()
    .optional()
    .describe(
      'The value of `Holdfast-As-Of` of an answer: then the answer has the same bytes. Or a time in ISO 8601: all events up to it. Absent: now.',
    ),
});

/** The same, where an answer has several shapes. */
export function asOfIn<S extends Shape>(
  ...shapes: readonly S[]
): z.ZodObject<typeof AS_OF_PARAMETERS.shape & { readonly shape: z.ZodType<S | undefined> }> {
  return AS_OF_PARAMETERS.extend({
    shape: optional(oneOfWords(shapes)).describe('The shape of the answer; `v1` if absent.'),
  });
}

/** The same for a deal. */
export const AS_OF_DEAL = asOfIn('v1', 'v3').extend({
  fields: optional(text('line')).describe('With `shape=v3`: the fields that the answer had; all if absent.'),
});

function asOf(): z.ZodType<AskedAsOf> {
  return text('line').transform((input, context): AskedAsOf => {
    const [, number, instant = '', form] = HEADER.exec(input) ?? [];
    const at = instantOfText(number === undefined ? input : instant);
    if (at === undefined) {
      context.addIssue({ code: 'custom', message: FORM });
      return z.NEVER;
    }
    if (number === undefined) return { instant: at };
    return { number: Number(number), instant: at, form: Number(form) };
  });
}
