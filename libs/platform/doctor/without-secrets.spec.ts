import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { VARIABLE_NAMES } from '../variables.js';
import { bareUrl, shownValue } from './without-secrets.js';

describe('G8.3: what a description shows of a setting', () => {
  it.each([
    ['mongodb://grace:pw@a:27017,b:27017/holdfast?authSource=admin', 'mongodb://a:27017,b:27017/holdfast'],
    ['mongodb+srv://grace:pw@cluster.example.com/holdfast', 'mongodb+srv://cluster.example.com/holdfast'],
    ['esdb://admin:changeit@es.example.com:2113?tls=true&userKeyFile=/k', 'esdb://es.example.com:2113'],
    ['esdb+discover://[2001:db8::1]:2113', 'esdb+discover://[2001:db8::1]:2113'],
    ['rediss://:pw@redis:6380/2', 'rediss://redis:6380/2'],
    ['smtp://127.0.0.1:25?tls=false', 'smtp://127.0.0.1:25'],
    ['https://deals.example.com/shop', 'https://deals.example.com/shop'],
  ])('%s is shown as %s', (url, shown) => {
    expect(bareUrl(url)).toBe(shown);
  });

  it.each([
    'redis://:pa@ss@host',
    'redis://:pa/ss@host',
    'redis://:pa?ss@host',
    'redis://:pa#ss@host',
    'redis://pa ss',
    'x',
  ])('of %s, where nobody knows which part is the password, nothing is shown', (url) => {
    expect(bareUrl(url)).toBeNull();
  });

  it('no user and no password is in it, whatever their characters', () => {
    const word = fc.string({ minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(word, word, fc.boolean(), (user, password, query) => {
        const url = `redis://${user}:CANARY${password}YRANAC@redis.example:6379/0${query ? `?key=CANARY${password}` : ''}`;
        expect(bareUrl(url) ?? '').toMatch(/^(redis:\/\/redis\.example:6379\/0)?$/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('a value that no start takes is not shown: it may be a secret in the wrong place', () => {
    expect([shownValue('PORT', '3000'), shownValue('PORT', 'hunter2')]).toEqual(['3000', null]);
    expect([shownValue('LOG_LEVEL', 'debug'), shownValue('LOG_LEVEL', 'hunter2')]).toEqual(['debug', null]);
  });

  it('of the collector of traces only the host is shown: some have their secret in the path', () => {
    const shown = (url: string): string | null => shownValue('OTEL_EXPORTER_OTLP_ENDPOINT', url);
    expect(shown('https://collector.example:4318/receiver/hunter2')).toBe('https://collector.example:4318');
    expect(shown('http://[::1]:4318')).toBe('http://[::1]:4318');
  });

  it('a setting that nobody has thought of is hidden', () => {
    expect(shownValue('A_NEW_SETTING', 'x')).toBeNull();
    for (const name of ['MASTER_KEY', 'TLS_KEY', 'TLS_CERT', 'DKIM_KEY', 'MAIL_FROM', 'DATA_DIR', 'GEOIP_DB'])
      expect([name, VARIABLE_NAMES.includes(name), shownValue(name, 'a'.repeat(64))]).toEqual([name, true, null]);
  });
});
