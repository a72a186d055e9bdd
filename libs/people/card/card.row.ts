import { unchanged, type Fold } from '#kernel';
import type { CardStored, WalletEvent } from './card.events.js';

/** A card as its events describe it. */
export interface CardRow extends CardStored {
  readonly deleted: boolean;
}

/** Folds a wallet's event into the row of one of its cards. */
export const cardFold: Fold<CardRow, WalletEvent> = {
  'card-stored.v1': (_, { data }) => ({ ...data, deleted: false }),
  'default-card-set.v1': (row, { data }, cardId) => row && { ...row, primary: data.card_id === cardId },
  'card-deleted.v1': (row, { data }, cardId) =>
    row && (data.card_id === cardId ? { ...row, primary: false, deleted: true } : { ...row, primary: true }),
  'card-restored.v1': (row, { data: { primary } }) => row && { ...row, primary, deleted: false },
  'card-number-destroyed.v1': unchanged,
  'wallet-erased.v1': () => undefined,
};
