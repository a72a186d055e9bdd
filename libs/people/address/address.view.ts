import { defineView, value } from '#kernel';
import type { AddressEvent } from './address.events.js';
import { addressFold, type AddressRow } from './address.row.js';

/** Shipping addresses by id, also those that were removed. */
export const addressesView = defineView<AddressRow, AddressEvent, 'user_id' | 'created_at' | 'removed'>({
  name: 'addresses',
  version: 2,
  key: (event) => event.data.address_id,
  on: addressFold,
  fields: {
    user_id: value((row) => row.user_id),
    created_at: value((row) => row.created_at),
    removed: value((row) => row.removed),
  },
  indexes: [['user_id', 'created_at']],
});
