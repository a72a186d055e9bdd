import { describe, expect, it } from '@jest/globals';
import { greeting } from './greeting.js';
import { reachOf, type Place } from './reach.js';

const place = (more: Partial<Place>): Place => ({
  host: '127.0.0.1',
  port: 3000,
  tls: false,
  behindProxies: false,
  ...more,
});

describe('A3 G9: a start says what works', () => {
  it.each<readonly [Partial<Place>, string, boolean]>([
    [{}, 'http://127.0.0.1:3000', true],
    [{ host: '::1' }, 'http://[::1]:3000', true],
    [{ host: 'localhost' }, 'http://localhost:3000', true],
    [{ host: '127.0.0.7' }, 'http://127.0.0.7:3000', true],
    [{ host: '10.0.0.1', tls: true }, 'https://10.0.0.1:3000', true],
    [{ host: '0.0.0.0', tls: true }, 'https://127.0.0.1:3000', true],
    [{ host: '::', behindProxies: true }, 'http://[::1]:3000', true],
  ])('with %j it refuses nobody whom it should answer', (more, url, here) => {
    expect(reachOf(place(more))).toEqual({ url, here, advice: undefined });
  });

  it('other machines get 403 over plain HTTP, so it says what to set', () => {
    const { url, here, advice } = reachOf(place({ host: '0.0.0.0' }));
    expect([url, here]).toEqual(['http://127.0.0.1:3000', true]);
    expect(advice).toMatch(/^Plain HTTP works only from this machine: .*TLS_CERT and TLS_KEY, or TRUSTED_PROXIES/);
  });

  it('an address of this machine that is not loopback answers nobody over plain HTTP, so it prints no lines to try', () => {
    const { here, url, advice } = reachOf(place({ host: '10.0.0.1' }));
    expect(here).toBe(false);
    expect(advice).toMatch(/^Plain HTTP works only at a loopback address: .* HOST=127\.0\.0\.1 .*TLS_CERT/);
    const text = greeting({ url, dataDir: 'data', demo: here, alone: true, seconds: '1', advice });
    expect(text).toContain(advice);
    expect(text).not.toContain('curl');
    expect(reachOf(place({ host: '10.0.0.1', behindProxies: true })).advice).toContain('TRUSTED_PROXIES');
  });
});
