import { Counts } from '#kernel/collections';
import type { CardLinkEvent } from './card-link.events.js';
import { cardLinkAfter, type CardLinkRow } from './card-link.row.js';

/** The card link of one user and deal, and its redemptions. */
export interface CardLinkState {
  /** Null before the first link, and after one that was undone. */
  readonly row: CardLinkRow | null;
  /** The last turn that was linked; 0 before the first. */
  readonly turn: number;
  /** It is linked, and the call that made it may still take it back. */
  readonly isOpen: boolean;
  /**
   * For each transaction_reference the revision of its redemption, plus one. Partners choose references, so two of them may have
   * one hash: then the second is refused as the first one's (the handler reads the first, and compares the texts).
   */
  readonly redemptions: Counts;
  /** How many of them qualify (ruling H1). */
  readonly qualifying: number;
}

export const noCardLink: CardLinkState = { row: null, turn: 0, isOpen: false, redemptions: Counts.none, qualifying: 0 };

export function evolve(state: CardLinkState, event: CardLinkEvent): CardLinkState {
  const row = cardLinkAfter(state.row ?? undefined, event) ?? null;
  if (event.type !== 'card-link-redeemed.v1') {
    const isOpen = event.type === 'card-linked.v1' && event.data.among_several === true;
    return { ...state, row, turn: event.data.turn, isOpen };
  }
  const { transaction_reference, revision, qualifying } = event.data;
  return {
    ...state,
    row,
    isOpen: false,
    redemptions: state.redemptions.plus(transaction_reference, revision + 1),
    qualifying,
  };
}

/**
 * The revision of the redemption with this reference; null if there is none. In rare cases it is that of another reference with
 * the same hash.
 */
export function redemptionOf({ redemptions }: CardLinkState, reference: string): number | null {
  const revision = redemptions.get(reference) - 1;
  return revision < 0 ? null : revision;
}
