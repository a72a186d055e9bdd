import { z } from 'zod';
import type { PageEnd } from '#eventsourcing';
import { date, integer, moment, oneOfWords, optional, success, text } from '#http';
import { INTEGERS } from '#kernel/bounds';
import type { LookUpList } from './list.js';
import { INVALID_PLACE, placeOf } from './list.place.js';

/** The forms of an answer with a list. */
export const FORMATS = ['json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** The times of a list that a time sorts. */
const TIMES = {
  from: moment('00:00:00').optional().describe('Lists nothing before this time. ISO 8601; UTC if it has no offset.'),
  to: moment('23:59:59.999').optional().describe('Lists nothing after this time. ISO 8601; UTC if it has no offset.'),
  day: date().optional().describe('Lists only this day in UTC, such as 2027-01-31.'),
};

/** What the caller of a list asks for, beside its filters. */
const PART = {
  limit: optional(integer('perPage')).describe(
    'Items of the answer; 100 if absent. An answer in lines or CSV has all.',
  ),
  format: optional(oneOfWords<Format>(FORMATS)).describe(
    '`json` (the default) answers with a page. `ndjson` has all items, one a line, between them lines with `progress`, and a last line with `end`: without it, the answer broke off. `csv` has all, with the names in the first line; texts that a spreadsheet would take for formulas begin with an apostrophe.',
  ),
};
export type AskedPart = z.infer<z.ZodObject<typeof PART>> &
  Partial<z.infer<z.ZodObject<typeof TIMES>>> & { readonly after?: PageEnd | undefined };

/** The parameters of a list. */
export function parametersOf({ filters, sort }: LookUpList): z.ZodObject {
  const named = Object.entries(filters).map(([name, { schema }]) => [name, (schema as z.ZodType).optional()] as const);
  return z.object({
    ...Object.fromEntries(named),
    ...(sort.by === 'time' ? TIMES : {}),
    ...PART,
    after: after(sort.by),
  });
}

/** The answer with a page of a list. */
export const pageOf = ({ name, item }: LookUpList): z.ZodType =>
  success({
    [name]: z.array(item).max(INTEGERS.perPage[1]),
    examined: z
      .int()
      .describe('How many were looked at for the page. Where no index selects the few that fit, a page ends early.'),
    next: z
      .string()
      .nullable()
      .describe('Send it as `after` for the next page, also if this one is short or empty; null on the last page.'),
  });

/** Where a page begins, in a list that this sorts. */
function after(by: LookUpList['sort']['by']): z.ZodType<PageEnd | undefined> {
  // A name and an id of their greatest length fit.
  return text('scanned')
    .transform((input, context): PageEnd => {
      const found = placeOf(input, by);
      if (found !== undefined) return found;
      context.addIssue({ code: 'custom', message: INVALID_PLACE });
      return z.NEVER;
    })
    .optional()
    .describe('`next` of the page before.');
}
