import { type AnswerOf, type Presenters, newestOf } from '#http';
import type { CARD_LINK } from './card-link.answer.js';
import type { CardLinkRow } from './card-link.row.js';

/** A card link's answer (interface 2.9). */
function firstCardLink(row: CardLinkRow): AnswerOf<typeof CARD_LINK> {
  const { card_link_id, deal_id, user_id, merchant_id, state } = row;
  return { id: card_link_id, deal_id, user_id, merchant_id, state };
}

/** By the version of the answers (ruling H6). */
export const cardLinkPresenters: Presenters<typeof firstCardLink> = { 1: firstCardLink };

/** A card link’s answer (interface 2.9). */
export const presentCardLink = newestOf(cardLinkPresenters);
