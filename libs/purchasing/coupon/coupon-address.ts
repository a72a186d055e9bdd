import { DomainError } from '#kernel';

/** The refusal of an address without a coupon and of a wrong signature: a caller cannot distinguish them. */
export function unknownAddress(): DomainError {
  return new DomainError('not_found', 'Failed. not found.', {
    detail: 'no coupon has this address: copy the address from the coupon unchanged',
  });
}
