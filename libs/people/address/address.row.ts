import { rowAfter, type Fold } from '#kernel';
import type { AddressEvent, AddressStored } from './address.events.js';

/** An address as its events describe it. */
export interface AddressRow extends AddressStored {
  /** Whether it is out of the user's list: purchases that ship to it keep it (ruling I13). */
  readonly removed: boolean;
}

/** Folds an address's event into its row. */
export const addressFold: Fold<AddressRow, AddressEvent> = {
  'address-stored.v1': (_, { data }) => ({ ...data, removed: false }),
  'address-removed.v1': (row) => row && { ...row, removed: true },
  'address-restored.v1': (row) => row && { ...row, removed: false },
};

/** The address after one of its events. */
export function addressAfter(row: AddressRow | undefined, event: AddressEvent): AddressRow | undefined {
  return rowAfter(addressFold, row, event, event.data.address_id);
}
