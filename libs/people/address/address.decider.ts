import { defineDecider } from '#kernel';
import type { AddressEvent, AddressStored } from './address.events.js';
import { addressAfter } from './address.row.js';

export interface StoreAddressOnce {
  readonly type: 'store';
  readonly address: Omit<AddressStored, 'created_at'>;
}

/** A user's shipping address, stored once: its id is a keyed hash of its content (ruling D13). */
export const address = defineDecider<StoreAddressOnce, AddressStored | null, AddressEvent>({
  category: 'address',
  initialState: null,
  decide: (command, state, now) =>
    state === null ? [{ type: 'address-stored.v1', data: { ...command.address, created_at: now } }] : [],
  evolve: (state, event) => addressAfter(state ?? undefined, event) ?? null,
});
