// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';
import type { DealSummary } from '../inventory/sale-terms.js';

export interface ReservationPlaced {
  /** Also the id of the later purchase. */
  readonly purchase_id: string;
  /** The deal's number of the hold. Its claim and its release name it: the inventory keeps no id of what is closed. */
  readonly number: number;
  readonly partner_id: string;
  readonly deal: DealSummary;
  readonly quantity: number;
  /** Cents per unit. */
  readonly price: number;
  readonly created_at: Instant;
  readonly deadline: Instant;
  /** The user whose access token placed it; null for a hold of the partner's own (ruling I9). */
  readonly holder_id: string | null;
}

export interface ReservationClosed {
  readonly purchase_id: string;
}

export type ReservationEvent =
  | EventOf<'reservation-placed.v1', ReservationPlaced>
  | EventOf<'reservation-claimed.v1', ReservationClosed & { readonly user_id: string }>
  | EventOf<'reservation-released.v1', ReservationClosed>
  | EventOf<'reservation-expired.v1', ReservationClosed>;

export const reservationEvents = defineEventTypes<ReservationEvent>(
  'reservation',
  {
    'reservation-placed.v1': true,
    'reservation-claimed.v1': true,
    'reservation-released.v1': true,
    'reservation-expired.v1': true,
  },
  [],
  {
    'reservation-placed.v1': ['number', 'quantity', 'price', 'created_at', 'deadline', 'deal.revision'],
  },
);
