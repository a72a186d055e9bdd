import type { AnswerOf } from '#http';
import type { CARD_SHOWN } from './card.answer.js';
import type { CardRow } from './card.row.js';

/** A card's answer (interface 2.8, ruling B8). The row holds only the last four digits of the number. */
export function presentCard(row: CardRow): AnswerOf<typeof CARD_SHOWN> {
  return {
    id: row.card_id,
    credit_card_id: row.card_id,
    number: `XXXX${row.last4}`,
    type: row.brand,
    primary: row.primary,
    deleted: row.deleted,
  };
}
