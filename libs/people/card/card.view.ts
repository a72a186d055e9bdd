import { defineView, value } from '#kernel';
import type { WalletEvent } from './card.events.js';
import { cardFold, type CardRow } from './card.row.js';

/** Cards by id, deleted ones too; an index lists a user's cards by time. */
export const cardsView = defineView<CardRow, WalletEvent, 'user_id' | 'created_at' | 'deleted'>({
  name: 'cards',
  version: 2,
  key: (event) => {
    switch (event.type) {
      case 'default-card-set.v1':
        return [event.data.before, event.data.card_id];
      case 'card-deleted.v1': {
        const { card_id, next_default } = event.data;
        return next_default === null ? card_id : [card_id, next_default];
      }
      case 'card-stored.v1':
      case 'card-restored.v1':
      case 'card-number-destroyed.v1':
        return event.data.card_id;
    }
  },
  on: cardFold,
  fields: {
    user_id: value((row) => row.user_id),
    created_at: value((row) => row.created_at),
    deleted: value((row) => row.deleted),
  },
  indexes: [['user_id', 'created_at']],
});
