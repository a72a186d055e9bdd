import type { Slices } from '#eventsourcing';
import { answerList, presentAll } from '#http';
import type { FoundDeal, FoundDeals } from './deal.queries.js';

/**
 * The answer of a list of deals.
 * @param next the URL of the next page; called only if there is one
 */
export function answerDeals(
  found: FoundDeals | number,
  present: (deal: FoundDeal) => object,
  next: () => string,
  slices: Slices,
): Promise<object> {
  return answerList(found, (page) => pageOfDeals(page, present, next, slices));
}

/** A page of deals, without a `status`. */
export async function pageOfDeals(
  { deals, more }: FoundDeals,
  present: (deal: FoundDeal) => object,
  next: () => string,
  slices: Slices,
): Promise<{ readonly deals: readonly object[]; readonly next_page?: string }> {
  return { deals: await presentAll(deals, present, slices), ...(more && { next_page: next() }) };
}
