import { z } from 'zod';
import type { Paging } from '#eventsourcing';
import { oneOfWords, optional, pagingOf, read, readTogether, text, words } from '#http';

/** The filters of a list of regional deals (interface 4.4, ruling C5). */
const REGIONAL_FILTERS = ['in_flight', 'offer', 'current', 'not_bg'] as const;
export type RegionalFilter = (typeof REGIONAL_FILTERS)[number];

/** The filters of a call without any (interface 4.4). */
const USUAL: readonly RegionalFilter[] = ['in_flight', 'current', 'not_bg'];

/** The parameters of a list of regional deals, besides paging. */
export const REGIONAL_LIST = z.object({
  user_id: optional(text('id')).describe(
    'Only deals of the categories in the user’s `partner_data.preferred_categories`; all deals if it names none.',
  ),
  filter: optional(words('filters', oneOfWords(REGIONAL_FILTERS))).describe(
    'A deal must meet all of them: `in_flight`, in this state; `current`, on sale now; `offer`, card-linked or affiliate; `not_bg`, without the tag bg. If absent: in_flight, current and not_bg.',
  ),
});

/** The parameters of a list of regional deals. */
export interface RegionalList {
  readonly userId: string | undefined;
  /** A deal must meet all of them. */
  readonly filters: readonly RegionalFilter[];
  readonly paging: Paging;
}

/**
 * Reads the parameters of a list of regional deals.
 * @param paged reads the paging; its faults differ between v1 and v3 (ruling A10)
 * @throws ValidationFailed with every parameter that has a wrong value
 */
export function readRegionalList(
  parameters: Readonly<Record<string, unknown>>,
  paged: (parameters: Readonly<Record<string, unknown>>) => Paging = (input) => pagingOf(input, 'deal'),
): RegionalList {
  const [{ user_id: userId, filter = [] }, paging] = readTogether(
    () => read(REGIONAL_LIST, parameters, 'deal'),
    () => paged(parameters),
  );
  return { userId, filters: filter.length === 0 ? USUAL : filter, paging };
}
