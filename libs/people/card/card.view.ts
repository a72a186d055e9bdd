import { defineView, value } from '#kernel';
import type { WalletEvent } from './card.events.js';
import { cardFold, type CardRow } from './card.row.js';

/** Cards by id; an index lists a user's cards by time. */
export const cardsView = defineView<CardRow, WalletEvent, 'user_id' | 'created_at'>({
  name: 'cards',
  version: 1,
  key: ({ type, data }) => (type === 'card-stored.v1' ? data.card_id : [data.before, data.card_id]),
  on: cardFold,
  fields: {
    user_id: value((row) => row.user_id),
    created_at: value((row) => row.created_at),
  },
  indexes: [['user_id', 'created_at']],
});
