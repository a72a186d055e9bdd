import { Map } from 'immutable';
import type { LinkageEvent } from './linkage.events.js';

/** The place of one card link. */
export interface Place {
  /** The last turn of the link that got a place. */
  readonly turn: number;
  readonly taken: boolean;
}

/** The places of one deal. The map is persistent, so folding many links stays cheap. */
export interface LinkageState {
  /** By card link. */
  readonly places: Map<string, Place>;
  /** Places that are taken. */
  readonly linked: number;
}

export const noLinkage: LinkageState = { places: Map(), linked: 0 };

export function evolve(state: LinkageState, { type, data }: LinkageEvent): LinkageState {
  const { card_link_id, turn, linked } = data;
  return { places: state.places.set(card_link_id, { turn, taken: type === 'user-linked.v1' }), linked };
}

/** A copy of the state whose map `evolve` changes in place. */
export function asMutable(state: LinkageState): LinkageState {
  return { ...state, places: state.places.asMutable() };
}

/** An immutable copy of the state that `asMutable` returned. */
export function asImmutable(state: LinkageState): LinkageState {
  return { ...state, places: state.places.asImmutable() };
}
