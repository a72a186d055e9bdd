// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

/** A shipping address of a user. */
export interface AddressStored {
  readonly address_id: string;
  readonly user_id: string;
  readonly partner_id: string;
  /** A sealed `Address`, under the key of its user. */
  readonly address: string;
  readonly created_at: Instant;
}

/** The address is not in the user's list any more, and no new purchase ships to it (ruling I13); earlier ones do. */
export interface AddressNamed {
  readonly address_id: string;
  readonly user_id: string;
}

export type AddressEvent =
  | EventOf<'address-stored.v1', AddressStored>
  | EventOf<'address-removed.v1', AddressNamed>
  /** The same address was stored again: it is the same one, in the list again. */
  | EventOf<'address-restored.v1', AddressNamed>;

export const addressEvents = defineEventTypes<AddressEvent>('address', {
  'address-stored.v1': true,
  'address-removed.v1': true,
  'address-restored.v1': true,
});
