import type { AnswerOf } from '#http';
import type { Profile } from '../user/profile.js';
import type { SHIPPING_ADDRESS } from './address.answer.js';
import type { Address } from './address.schema.js';

/** A shipping address's answer (rulings D6, D13), with the user's name where it has none. Shows nothing of an erased user. */
export function presentAddress(
  id: string,
  address: Address | null,
  user: Profile | null,
): AnswerOf<typeof SHIPPING_ADDRESS> {
  return {
    id,
    shipping_address_id: id,
    name: address?.name ?? nameOf(user),
    address_one: address?.address_one ?? null,
    address_two: address?.address_two ?? null,
    postal_code: address?.postal_code ?? null,
    city: address?.city ?? null,
    state: address?.state ?? null,
    country: address?.country ?? null,
  };
}

function nameOf(user: Profile | null): string | null {
  const name = [user?.first_name, user?.last_name].filter((part) => typeof part === 'string').join(' ');
  return name === '' ? null : name;
}
