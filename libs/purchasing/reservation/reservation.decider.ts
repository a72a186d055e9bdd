import { defineDecider } from '#kernel';
import type { ReservationEvent, ReservationPlaced } from './reservation.events.js';

/** A reservation's state, with what claim and release need. */
export type ReservationState =
  | { readonly status: 'none' }
  | { readonly status: 'placed' | 'released' | 'expired'; readonly placed: ReservationPlaced }
  /** `user_id` bought the units. */
  | { readonly status: 'claimed'; readonly placed: ReservationPlaced; readonly user_id: string };

export type ReservationCommand =
  | { readonly type: 'place'; readonly placed: ReservationPlaced }
  | { readonly type: 'claim'; readonly purchase_id: string; readonly user_id: string }
  | { readonly type: 'release' | 'expire'; readonly purchase_id: string };

/** Follows the inventory, which decides; refuses nothing. */
export const reservation = defineDecider<ReservationCommand, ReservationState, ReservationEvent>({
  category: 'reservation',
  initialState: { status: 'none' },
  decide(command, state) {
    if (command.type === 'place') {
      return state.status === 'none' ? [{ type: 'reservation-placed.v1', data: command.placed }] : [];
    }
    if (state.status === 'none') return [];
    const { purchase_id } = command;
    switch (command.type) {
      case 'claim':
        return state.status === 'claimed'
          ? []
          : [{ type: 'reservation-claimed.v1', data: { purchase_id, user_id: command.user_id } }];
      case 'release':
        return state.status === 'placed' ? [{ type: 'reservation-released.v1', data: { purchase_id } }] : [];
      case 'expire':
        return state.status === 'placed' ? [{ type: 'reservation-expired.v1', data: { purchase_id } }] : [];
    }
  },
  evolve(state, event) {
    if (event.type === 'reservation-placed.v1') return { status: 'placed', placed: event.data };
    if (state.status === 'none') return state;
    const { placed } = state;
    switch (event.type) {
      case 'reservation-claimed.v1':
        return { status: 'claimed', placed, user_id: event.data.user_id };
      case 'reservation-released.v1':
        return { status: 'released', placed };
      case 'reservation-expired.v1':
        return { status: 'expired', placed };
    }
  },
});
