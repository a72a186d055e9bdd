import { DomainError } from '#kernel';

/** What an address of no coupon is answered with, or one whose signature is not the coupon’s: both read the same. */
export function unknownAddress(): DomainError {
  return new DomainError('not_found', 'Failed. not found.', {
    detail: 'this is the address of no coupon: take the address from the coupon, as it is',
  });
}
