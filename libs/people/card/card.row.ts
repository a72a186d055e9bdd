import { rowAfter, type Fold } from '#kernel';
import type { CardStored, WalletEvent } from './card.events.js';

/** A card as events tell it. */
export type CardRow = CardStored;

/** What the events of a wallet make of each of its cards. */
export const cardFold: Fold<CardRow, WalletEvent> = {
  'card-stored.v1': (_, { data }) => data,
  'default-card-set.v1': (row, { data }, cardId) => row && { ...row, primary: data.card_id === cardId },
};

/** The card with this id after an event of its wallet. */
export function cardAfter(row: CardRow | undefined, event: WalletEvent, cardId: string): CardRow | undefined {
  return rowAfter(cardFold, row, event, cardId);
}
