import type { CardStored, WalletEvent } from './card.events.js';

/** A card as events tell it. */
export type CardRow = CardStored;

/** The card with this id after an event of its wallet. */
export function cardAfter(row: CardRow | undefined, event: WalletEvent, cardId: string): CardRow | undefined {
  if (event.type === 'card-stored.v1') return event.data;
  return row && { ...row, primary: event.data.card_id === cardId };
}
