import type { StateParts } from '#kernel';
import { Counts, wholeNumber } from '#kernel/collections';
import type { LinkageEvent } from './linkage.events.js';

/** The place of one card link. */
export interface Place {
  /** The last turn of the link that got a place; 0 before the first. */
  readonly turn: number;
  readonly taken: boolean;
}

/** The places of one deal, in 16 to 20 bytes for each user who ever had one. */
export interface LinkageState {
  /** For each card link twice its last turn, and one more while its place is taken. The service makes the ids of card links. */
  readonly places: Counts;
  /** Places that are taken. */
  readonly linked: number;
}

export const noLinkage: LinkageState = { places: Counts.none, linked: 0 };

export function evolve({ places }: LinkageState, { type, data }: LinkageEvent): LinkageState {
  const { card_link_id, turn, linked } = data;
  const place = 2 * turn + (type === 'user-linked.v1' ? 1 : 0);
  return { places: places.plus(card_link_id, place - places.get(card_link_id)), linked };
}

/** The place of a card link. */
export function placeOf({ places }: LinkageState, cardLinkId: string): Place {
  const place = places.get(cardLinkId);
  return { turn: Math.floor(place / 2), taken: place % 2 > 0 };
}

/** The state in parts, and back: first how many places are taken, then the places. Keyed hashes are no personal data. */
export const linkageParts: StateParts<LinkageState> = {
  *parts({ places, linked }): Generator<number | Float64Array, void> {
    yield linked;
    yield* places.parts();
  },
  from([linked, ...places]) {
    const counts = Counts.from(places as readonly Float64Array[]);
    return { linked: wholeNumber('the places that are taken', linked as number, counts.size + 1), places: counts };
  },
};
