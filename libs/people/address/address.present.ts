import type { Address } from './address.schema.js';

/** A shipping address's answer (ruling D13). One whose user is erased shows nothing. */
export function presentAddress(id: string, address: Address | null): object {
  return {
    id,
    shipping_address_id: id,
    name: address?.name ?? null,
    address_one: address?.address_one ?? null,
    address_two: address?.address_two ?? null,
    postal_code: address?.postal_code ?? null,
    city: address?.city ?? null,
    state: address?.state ?? null,
    country: address?.country ?? null,
  };
}
