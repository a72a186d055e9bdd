import { defineView, value } from '#kernel';
import type { WalletEvent } from './card.events.js';
import { cardFold, type CardRow } from './card.row.js';

/** Cards by id, deleted ones too; indexes have a user's cards, and those with the same last four digits, by time. */
export const cardsView = defineView<CardRow, WalletEvent, 'user_id' | 'last4' | 'created_at' | 'deleted'>({
  name: 'cards',
  version: 3,
  key: (event) => {
    switch (event.type) {
      case 'default-card-set.v1':
        return [event.data.before, event.data.card_id];
      case 'card-deleted.v1': {
        const { card_id, next_default } = event.data;
        return next_default === null ? card_id : [card_id, next_default];
      }
      case 'wallet-erased.v1':
        return event.data.cards.map(({ card_id }) => card_id);
      case 'card-stored.v1':
      case 'card-restored.v1':
      case 'card-number-destroyed.v1':
        return event.data.card_id;
    }
  },
  on: cardFold,
  fields: {
    user_id: value((row) => row.user_id),
    last4: value((row) => row.last4),
    created_at: value((row) => row.created_at),
    deleted: value((row) => row.deleted),
  },
  indexes: [['user_id', 'created_at']],
  orders: [
    { by: ['last4', { descending: 'created_at' }], covers: [] },
    { by: [{ descending: 'created_at' }], covers: [] },
  ],
});
