import { purchaseAfter, type PurchaseRow } from '../purchase/purchase.row.js';
import type { ReservationPlaced } from './reservation.events.js';

/** The row of a new reservation. */
export function rowOfReservation(placed: ReservationPlaced): PurchaseRow {
  const row = purchaseAfter(undefined, { type: 'reservation-placed.v1', data: placed });
  if (row === undefined) throw new Error('a placed reservation has a row');
  return row;
}
