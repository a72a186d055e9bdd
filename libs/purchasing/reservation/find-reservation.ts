import type { Writer } from '#eventsourcing';
import { notFound } from '#kernel';
import { reservation } from './reservation.decider.js';
import type { ReservationPlaced } from './reservation.events.js';

/**
 * A partner's reservation. Refuses another partner's like an unknown one (ruling A5).
 * @throws DomainError not_found
 */
export async function findReservation(writer: Writer, id: string, partnerId: string): Promise<ReservationPlaced> {
  const state = await writer.read(reservation, id);
  if (state.status === 'none' || state.placed.partner_id !== partnerId) {
    throw notFound(
      'you have no reservation with this id; a purchase by card has no hold: ask an operator to refund it',
    );
  }
  return state.placed;
}
