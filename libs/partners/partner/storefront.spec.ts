import { describe, expect, it } from '@jest/globals';
import { addressAt, isStorefront } from './storefront.js';

describe('H4: a partner’s storefront', () => {
  it.each([
    ['https://shop.example/offers/{deal_id}', true],
    ['https://shop.example:8443/?offer={deal_id}&from=mail#top', true],
    ['HTTPS://shop.example/{deal_id}/{deal_id}', true],
    ['https://shop.example?offer={deal_id}', true],
    ['http://shop.example/{deal_id}', false],
    ['https://shop.example/offers', false],
    ['https://shop.example/#{deal_id}', false],
    ['https://{deal_id}.shop.example/', false],
    ['https://{deal_id}', false],
    ['https://user:secret@shop.example/{deal_id}', false],
    ['https://user@shop.example/{deal_id}', false],
    ['javascript:alert(1)//{deal_id}', false],
    ['shop.example/{deal_id}', false],
    ['//shop.example/{deal_id}', false],
    ['https:///{deal_id}', false],
    ['https:\\\\shop.example\\{deal_id}', true],
    ['https:\\\\{deal_id}\\', false],
    ['', false],
  ])('%s: %s', (address, good) => {
    expect(isStorefront(address)).toBe(good);
  });

  it('has every deal at its own address', () => {
    expect(addressAt('https://shop.example/{deal_id}?again={deal_id}', 'tram-28')).toBe(
      'https://shop.example/tram-28?again=tram-28',
    );
  });

  it.each([
    ['https://shop.example/all offers/{deal_id}', 'https://shop.example/all%20offers/tram-28'],
    ['https:\\\\shop.example\\{deal_id}', 'https://shop.example/tram-28'],
    ['https:/shop.example/{deal_id}', 'https://shop.example/tram-28'],
    ['https://shop.example/?offer={deal_id}&quoted="yes"', 'https://shop.example/?offer=tram-28&quoted=%22yes%22'],
    ['https://shop.example/{deal_id}\u{202e}', 'https://shop.example/tram-28%E2%80%AE'],
    ['https://bücher.example/{deal_id}', 'https://xn--bcher-kva.example/tram-28'],
  ])('has in mails, for %s, %s', (storefront, address) => {
    expect(isStorefront(storefront)).toBe(true);
    expect(addressAt(storefront, 'tram-28')).toBe(address);
  });
});
