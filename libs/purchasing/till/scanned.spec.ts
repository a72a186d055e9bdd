import { describe, expect, it } from '@jest/globals';
import { ValidationFailed } from '#http';
import { namedBy } from './scanned.js';

const ID = '0123456789abcdef0123456789abcdef';
const AT_ROOT = 'https://deals.example';
const BELOW = 'https://deals.example:8443/Shop';

describe('I8: what a till has scanned', () => {
  it.each([
    [`${AT_ROOT}/C/${ID}`.toUpperCase(), AT_ROOT],
    [`${AT_ROOT}/c/${ID}`, AT_ROOT],
    [`${AT_ROOT}/C/${ID.toUpperCase()}/`, AT_ROOT],
    [`${AT_ROOT}/C/${ID}?utm=x#top`, AT_ROOT],
    [` ${AT_ROOT}/C/${ID}\r\n`, AT_ROOT],
    [`https://deals.example:443/C/${ID}`, AT_ROOT],
    [`http://deals.example/C/${ID}`, AT_ROOT],
    [`${BELOW}/C/${ID.toUpperCase()}`, BELOW],
    [`HTTPS://DEALS.EXAMPLE:8443/SHOP/C/${ID}`, BELOW],
  ])('%s is the coupon of a redemption URL', (scanned, publicUrl) => {
    expect(namedBy(scanned, publicUrl)).toBe(ID);
  });

  it.each([
    [ID, ID],
    [` ${ID.toUpperCase()}\n`, ID.toUpperCase()],
    ['123456789012', '123456789012'],
    ['1234 5678 9012', '1234 5678 9012'],
    ['anything', 'anything'],
  ])('%s stays as it is, but for the blanks around it', (scanned, named) => {
    expect(namedBy(scanned, AT_ROOT)).toBe(named);
  });

  const OTHER = `is an address of another service: this one’s begin with ${AT_ROOT}/C/`;
  const NO_COUPON = `is not the address of a coupon’s QR code, which begins with ${AT_ROOT}/C/`;
  it.each([
    [`https://evil.example/C/${ID}`, OTHER],
    [`https://deals.example.evil/C/${ID}`, OTHER],
    [`https://deals.example@evil.example/C/${ID}`, OTHER],
    [`https://deals.example:8443/C/${ID}`, OTHER],
    ['https://', OTHER],
    [`${AT_ROOT}/deals/${ID}`, NO_COUPON],
    [`${AT_ROOT}/C/`, NO_COUPON],
    [`${AT_ROOT}/C/${ID}/print`, NO_COUPON],
    [`${AT_ROOT}/shop/C/${ID}`, NO_COUPON],
    [AT_ROOT, NO_COUPON],
  ])('%s is refused by name', (scanned, message) => {
    const entries = [{ type: 'invalid', message, field: 'coupon', resource: 'coupon' }];
    expect(() => namedBy(scanned, AT_ROOT)).toThrow(ValidationFailed);
    expect(() => namedBy(scanned, AT_ROOT)).toThrow(expect.objectContaining({ entries }));
  });
});
