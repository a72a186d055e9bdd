import { describe, expect, it } from '@jest/globals';
import { linkFault } from './link.js';

describe('G4: a URL that others open', () => {
  it.each([
    'https://shop.example',
    'HTTP://shop.example:8080/a/b.html?c=d&e=%20#f',
    'https://bücher.example/é',
    'https://[2001:db8::1]/page',
    'https://shop.example/@user?mail=a@b.example',
  ])('may be %s', (url) => {
    expect(linkFault(url)).toBeUndefined();
  });

  it.each([
    ['javascript:alert(1)', 'must be an http or https URL'],
    ['JavaScript://shop.example/%0aalert(1)', 'must be an http or https URL'],
    ['data:text/html,hello', 'must be an http or https URL'],
    ['ftp://shop.example', 'must be an http or https URL'],
    ['//shop.example', 'must be an http or https URL'],
    ['shop.example/page', 'must be an http or https URL'],
    ['https:shop.example', 'must be an http or https URL'],
    [' https://shop.example', 'must be an http or https URL'],
    ['https:\\\\shop.example', 'must be an http or https URL'],
    ['https://shop.example/all offers', 'must have no blanks'],
    ['https://shop.example\\@other.example/', 'must have no blanks, backslashes'],
    ['https://shop.example/\u202egpj', 'invisible characters'],
    ['https://shop.example/\n', 'must have no blanks'],
    ['https://user:secret@shop.example', 'must have no user name or password'],
    ['https://user@shop.example', 'must have no user name or password'],
    ['https://@shop.example', 'must have no user name or password'],
    ['https://', 'must be a whole URL'],
    ['https:///shop.example', 'must be a whole URL'],
    ['https://[', 'must be a whole URL'],
    ['https://a:99999', 'must be a whole URL'],
  ])('is not %j', (text, words) => {
    expect(linkFault(text)).toContain(words);
  });
});
