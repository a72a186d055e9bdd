import { deal, stateAt } from '#catalogue/model';
import { type Writer, type Clock } from '#eventsourcing';
import { DomainError } from '#kernel';
import type { LinkTerms } from './linkage.decider.js';

/** What a link takes from its deal. */
export interface LinkableDeal {
  readonly deal_id: string;
  readonly merchant_id: string | null;
  readonly terms: LinkTerms;
}

/** A deal as it is now. @throws DomainError deal_not_found */
export async function findLinkableDeal(writer: Writer, clock: Clock, dealId: string): Promise<LinkableDeal> {
  const found = await writer.read(deal, dealId);
  if (found === null) throw new DomainError('deal_not_found', 'Unable to find');
  const { type, end_at, max_linkage, merchant_id } = found.attributes;
  return { deal_id: dealId, merchant_id, terms: { type, state: stateAt(found, clock.now()), end_at, max_linkage } };
}
