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

export type AddressEvent = EventOf<'address-stored.v1', AddressStored>;

export const addressEvents = defineEventTypes<AddressEvent>('address', { 'address-stored.v1': true });
