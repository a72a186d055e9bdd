import { answerList } from '#http';
import type { FoundDeal, FoundDeals } from './deal.queries.js';

/**
 * The answer of a list of deals.
 * @param next the URL of the next page; called only if there is one
 */
export function answerDeals(
  found: FoundDeals | number,
  present: (deal: FoundDeal) => object,
  next: () => string,
): Promise<object> {
  return answerList(found, (page) => pageOfDeals(page, present, next));
}

/** A page of deals, without a `status`. */
export function pageOfDeals(
  { deals, more }: FoundDeals,
  present: (deal: FoundDeal) => object,
  next: () => string,
): { readonly deals: readonly object[]; readonly next_page?: string } {
  return { deals: deals.map(present), ...(more && { next_page: next() }) };
}
