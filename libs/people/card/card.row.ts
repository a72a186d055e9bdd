import type { Fold } from '#kernel';
import type { CardStored, WalletEvent } from './card.events.js';

/** A card as its events describe it. */
export type CardRow = CardStored;

/** Folds a wallet's event into the row of one of its cards. */
export const cardFold: Fold<CardRow, WalletEvent> = {
  'card-stored.v1': (_, { data }) => data,
  'default-card-set.v1': (row, { data }, cardId) => row && { ...row, primary: data.card_id === cardId },
};
