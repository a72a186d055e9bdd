import { Map } from 'immutable';
import type { CardLinkEvent, CardLinkRedeemed } from './card-link.events.js';
import { cardLinkAfter, type CardLinkRow } from './card-link.row.js';

/** A transaction that was reported. */
export type Redemption = Pick<CardLinkRedeemed, 'transaction_amount' | 'transaction_date' | 'max_redemption'>;

/** The card link of one user and deal, and its redemptions. */
export interface CardLinkState {
  /** Null before the first link, and after one that was undone. */
  readonly row: CardLinkRow | null;
  /** The last turn that was linked; 0 before the first. */
  readonly turn: number;
  /** It is linked, and the call that made it may still take it back. */
  readonly isOpen: boolean;
  /** By transaction_reference. */
  readonly redemptions: Map<string, Redemption>;
  /** How many of them qualify (ruling H1). */
  readonly qualifying: number;
}

export const noCardLink: CardLinkState = { row: null, turn: 0, isOpen: false, redemptions: Map(), qualifying: 0 };

export function evolve(state: CardLinkState, event: CardLinkEvent): CardLinkState {
  const row = cardLinkAfter(state.row ?? undefined, event) ?? null;
  if (event.type !== 'card-link-redeemed.v1') {
    const isOpen = event.type === 'card-linked.v1' && event.data.among_several === true;
    return { ...state, row, turn: event.data.turn, isOpen };
  }
  const { transaction_amount, transaction_date, transaction_reference, max_redemption, qualifying } = event.data;
  const redemption = { transaction_amount, transaction_date, max_redemption };
  return {
    ...state,
    row,
    isOpen: false,
    redemptions: state.redemptions.set(transaction_reference, redemption),
    qualifying,
  };
}
