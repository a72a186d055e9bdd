import { defineView, value } from '#kernel';
import type { AddressEvent, AddressStored } from './address.events.js';
import { addressFold } from './address.row.js';

/** Shipping addresses by id. */
export const addressesView = defineView<AddressStored, AddressEvent, 'user_id' | 'created_at'>({
  name: 'addresses',
  version: 1,
  key: (event) => event.data.address_id,
  on: addressFold,
  fields: { user_id: value((row) => row.user_id), created_at: value((row) => row.created_at) },
  indexes: [['user_id', 'created_at']],
});
