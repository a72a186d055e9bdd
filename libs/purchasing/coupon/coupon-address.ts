import { DomainError } from '#kernel';

/** The refusal of an address without a coupon and of a wrong signature: a caller cannot tell them apart. */
export function unknownAddress(): DomainError {
  return new DomainError('not_found', 'Failed. not found.', {
    detail: 'this is the address of no coupon: take the address from the coupon, as it is',
  });
}
