import { rowAfter, type Fold } from '#kernel';
import type { AddressEvent, AddressStored } from './address.events.js';

/** Folds an address's event into its row. */
export const addressFold: Fold<AddressStored, AddressEvent> = { 'address-stored.v1': (_, { data }) => data };

/** The address after one of its events. */
export function addressAfter(row: AddressStored | undefined, event: AddressEvent): AddressStored | undefined {
  return rowAfter(addressFold, row, event, event.data.address_id);
}
