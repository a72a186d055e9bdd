import { defineDecider, notFound, type DomainError } from '#kernel';
import type { AddressEvent, AddressNamed, AddressStored } from './address.events.js';
import { addressAfter, type AddressRow } from './address.row.js';

export interface StoreAddressOnce {
  readonly type: 'store';
  readonly address: Omit<AddressStored, 'created_at'>;
}

/** Takes it out of the user's list (ruling I13). */
export interface RemoveAddress {
  readonly type: 'remove';
}

/** A user's shipping address, stored once: its id is a keyed hash of its content (ruling D13). */
export const address = defineDecider<StoreAddressOnce | RemoveAddress, AddressRow | null, AddressEvent>({
  category: 'address',
  initialState: null,
  decide(command, state, now) {
    switch (command.type) {
      case 'store':
        if (state === null) return [{ type: 'address-stored.v1', data: { ...command.address, created_at: now } }];
        return state.removed ? [{ type: 'address-restored.v1', data: namesOf(state) }] : [];
      case 'remove':
        if (state === null) throw unknownAddress();
        return state.removed ? [] : [{ type: 'address-removed.v1', data: namesOf(state) }];
    }
  },
  evolve: (state, event) => addressAfter(state ?? undefined, event) ?? null,
});

function namesOf({ address_id, user_id }: AddressRow): AddressNamed {
  return { address_id, user_id };
}

/** The same refusal for an unknown address and another partner's (rulings A5, A8). */
export function unknownAddress(): DomainError {
  return notFound('you have no shipping address with this id');
}
