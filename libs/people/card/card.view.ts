import { defineView, value } from '#kernel';
import type { WalletEvent } from './card.events.js';
import { cardAfter, type CardRow } from './card.row.js';

/** Cards by id, and by user, newest first. */
export const cardsView = defineView<CardRow, WalletEvent>({
  name: 'cards',
  version: 1,
  key: ({ type, data }) => (type === 'card-stored.v1' ? data.card_id : [data.before, data.card_id]),
  on: { 'card-stored.v1': cardAfter, 'default-card-set.v1': cardAfter },
  fields: {
    user_id: value((row) => row.user_id),
    created_at: value((row) => row.created_at),
  },
  indexes: [['user_id', 'created_at']],
});
