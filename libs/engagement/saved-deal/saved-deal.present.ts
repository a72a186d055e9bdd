import type { AnswerOf } from '#http';
import type { SAVED_DEAL } from './saved-deal.answer.js';
import type { DealSaved } from './saved-deal.events.js';

/** A saved deal's answer (interface 2.10). */
export function presentSavedDeal({
  saved_deal_id,
  deal_id,
  user_id,
}: Pick<DealSaved, 'saved_deal_id' | 'deal_id' | 'user_id'>): AnswerOf<typeof SAVED_DEAL> {
  return { id: saved_deal_id, deal_id, user_id };
}
