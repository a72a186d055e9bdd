import { z } from 'zod';
import { oneOfWords, optional, pagingOf, read, text, words, type Paging } from '#http';

/** What a list of regional deals can be narrowed to (interface 4.4, ruling C5). */
const REGIONAL_FILTERS = ['in_flight', 'offer', 'current', 'not_bg'] as const;
export type RegionalFilter = (typeof REGIONAL_FILTERS)[number];

/** What is meant where no filter is given (interface 4.4). */
const USUAL: readonly RegionalFilter[] = ['in_flight', 'current', 'not_bg'];

/** What a list of regional deals takes beside its paging. */
export const REGIONAL_LIST = z.object({
  user_id: optional(text('id')).describe(
    'Only deals of the categories in the user’s `partner_data.preferred_categories`; all where it has none.',
  ),
  filter: optional(words('filters', oneOfWords(REGIONAL_FILTERS))).describe(
    'All of them are met: `in_flight`, which is the state; `current`, on sale now; `offer`, card-linked or affiliate; `not_bg`, without the tag bg. Where none is given: in_flight, current and not_bg.',
  ),
});

/** The parameters of a list of regional deals. */
export interface RegionalList {
  readonly userId: string | undefined;
  /** All of them are to be met. */
  readonly filters: readonly RegionalFilter[];
  readonly paging: Paging;
}

/**
 * Reads the parameters of a list of regional deals.
 * @param paged reads its paging, whose faults are not the same for v1 and v3 (ruling A10)
 * @throws ValidationFailed naming what is unknown or of a wrong type
 */
export function readRegionalList(
  parameters: Readonly<Record<string, unknown>>,
  paged: (parameters: Readonly<Record<string, unknown>>) => Paging = (given) => pagingOf(given, 'deal'),
): RegionalList {
  const { user_id: userId, filter = [] } = read(REGIONAL_LIST, parameters, 'deal');
  return { userId, filters: filter.length === 0 ? USUAL : filter, paging: paged(parameters) };
}
