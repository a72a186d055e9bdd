import { changing, rowAfter, type Fold } from '#kernel';
import type { CardLinked, CardLinkEvent } from './card-link.events.js';

/** The states of a card link (interface 3.3). */
export const CARD_LINK_STATES = ['linked', 'unlinked', 'fulfilled'] as const;
export type CardLinkStateName = (typeof CARD_LINK_STATES)[number];

/** A card link as its events describe it. Linked again, it keeps the time of its first link. */
export interface CardLinkRow extends Omit<CardLinked, 'turn' | 'among_several'> {
  readonly state: CardLinkStateName;
}

const becomes = changing<CardLinkRow, Exclude<keyof CardLinkRow, 'state'>>();

/** Folds a card link's event into its row. */
export const cardLinkFold: Fold<CardLinkRow, CardLinkEvent> = {
  'card-linked.v1': (row, { data: { turn: _, among_several: __, ...link } }) => ({
    ...link,
    created_at: row?.created_at ?? link.created_at,
    state: 'linked',
  }),
  'card-link-redeemed.v1': (row, { data }) =>
    row && becomes(row, { state: data.max_redemption ? 'fulfilled' : row.state }),
  'card-unlinked.v1': (row) => row && becomes(row, { state: 'unlinked' }),
  'card-link-undone.v1': () => undefined,
};

/** The card link after one of its events; undefined for one that was undone. */
export function cardLinkAfter(row: CardLinkRow | undefined, event: CardLinkEvent): CardLinkRow | undefined {
  return rowAfter(cardLinkFold, row, event, event.data.card_link_id);
}
