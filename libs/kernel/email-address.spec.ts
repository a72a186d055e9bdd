import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { emailFault } from './email-address.js';

/** The expression of the HTML standard, "valid e-mail address". */
const HTML =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

const BEFORE = "before its @ it may have only a-z, 0-9 and .!#$%&'*+/=?^_`{|}~-";
const PUNYCODE = 'write its domain in punycode, such as xn--mnchen-3ya.example';
const DOMAIN =
  'its domain must be parts of a-z, 0-9 and - inside, at most 63 characters each, with one dot between two';

describe('I6: an e-mail address', () => {
  it.each([
    'a@b',
    'tom&jerry@example.com',
    "o'neil+deals@Example.COM",
    "!#$%&'*+/=?^_`{|}~-@example.com",
    'a..b@example.com',
    '.a.@example.com',
    'a@xn--mnchen-3ya.example',
    'a@1.2.3.4',
    `a@${'b'.repeat(63)}.${'c'.repeat(63)}`,
    `${'a'.repeat(252)}@b`,
  ])('is %s', (address) => {
    expect([emailFault(address), HTML.test(address)]).toEqual([undefined, true]);
  });

  it.each([
    ['', 'it has no @'],
    ['ann', 'it has no @'],
    ['a@b@c', 'it has more than one @'],
    ['@b', 'nothing is before its @'],
    ['a@', 'nothing is after its @'],
    ['ü@example.com', BEFORE],
    ['a,b@example.com', BEFORE],
    ['"a"@example.com', BEFORE],
    ['Ann <a@b>', 'it has a blank or a control character'],
    ['ann<a@b>', BEFORE],
    [' a@b', 'it has a blank or a control character'],
    ['a@b\u0000', 'it has a blank or a control character'],
    ['a@b\r\nBcc: c@d', 'it has a blank or a control character'],
    ['a@münchen.example', PUNYCODE],
    ['a@example。com', PUNYCODE],
    ['a@-b', DOMAIN],
    ['a@b-', DOMAIN],
    ['a@b..c', DOMAIN],
    ['a@b.', DOMAIN],
    ['a@.b', DOMAIN],
    ['a@b_c', DOMAIN],
    ['a@[1.2.3.4]', DOMAIN],
    [`a@${'b'.repeat(64)}`, DOMAIN],
    [`${'a'.repeat(253)}@b`, 'it has more than 254 characters'],
  ])('is not %j', (address, fault) => {
    expect([emailFault(address), HTML.test(address) && address.length <= 254]).toEqual([fault, false]);
  });

  it('is exactly what HTML takes, up to 254 characters', () => {
    const pieces = fc.constantFrom(
      'a',
      'Z',
      '7',
      '.',
      '@',
      '-',
      '_',
      '+',
      "'",
      '&',
      ' ',
      ',',
      'ü',
      '\n',
      '\u200b',
      '"',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        expect([text, emailFault(text) === undefined]).toEqual([text, HTML.test(text)]);
      }),
      { seed: 6, numRuns: 5_000 },
    );
  });
});
