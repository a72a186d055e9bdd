import { z } from 'zod';
import { isSection, optional, read, text, twoLetters, ValidationFailed } from '#http';
import type { TextName } from '#kernel/bounds';

/** A shipping address as the service stores it: trimmed, state and country in upper case. Absent parts are null. */
export interface Address {
  readonly name: string | null;
  readonly address_one: string;
  readonly address_two: string | null;
  readonly postal_code: string;
  readonly city: string;
  readonly state: string;
  readonly country: string;
}

const trimmed = (input: unknown): unknown => (typeof input === 'string' ? input.trim() : input);
const line = (name: TextName) => z.preprocess(trimmed, text(name));
/** A text of blanks alone counts as absent. */
const mayBeLine = () => z.preprocess(trimmed, optional(text('line')));

const ADDRESS = {
  name: mayBeLine(),
  address_one: line('line'),
  address_two: mayBeLine(),
  postal_code: line('zip'),
  city: line('line'),
  state: twoLetters(),
  country: twoLetters(),
};
/** The address of a full purchase. */
export const SHIPPING_ADDRESS_INPUT = z.object(ADDRESS);
/** The body of POST /shipping_addresses. */
export const STORE_ADDRESS = z.object({ user_id: text('id'), ...ADDRESS });

/**
 * Reads the address of a full purchase (interface 4.6.1, ruling D13).
 * @throws ValidationFailed with entries of resource `shipping_address`, in the order of the interface
 */
export function readAddress(input: unknown): Address {
  if (!isSection(input)) {
    const fault = { type: 'invalid', message: 'must be an object' } as const;
    throw new ValidationFailed([{ ...fault, field: 'shipping_address', resource: 'shipping_address' }]);
  }
  return addressFrom(read(SHIPPING_ADDRESS_INPUT, input, 'shipping_address'));
}

/** The body of POST /shipping_addresses. @throws ValidationFailed */
export function readStoreAddress(parameters: unknown): { readonly userId: string; readonly address: Address } {
  const { user_id, ...address } = read(STORE_ADDRESS, parameters, 'shipping_address');
  return { userId: user_id, address: addressFrom(address) };
}

function addressFrom({ name, address_two, ...input }: z.infer<typeof SHIPPING_ADDRESS_INPUT>): Address {
  return {
    name: name ?? null,
    address_one: input.address_one,
    address_two: address_two ?? null,
    postal_code: input.postal_code,
    city: input.city,
    state: input.state,
    country: input.country,
  };
}
