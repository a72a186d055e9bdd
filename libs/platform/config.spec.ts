import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';

describe('how the service is reached', () => {
  it.each([
    [{ TLS_CERT: 'cert.pem' }, 'TLS_KEY must be set as well, for TLS_CERT is'],
    [{ TLS_KEY: 'key.pem' }, 'TLS_CERT must be set as well, for TLS_KEY is'],
    [{ TLS_CERT: '', TLS_KEY: '' }, 'TLS_CERT must be a PEM file; TLS_KEY must be a PEM file'],
    [{ TRUSTED_PROXIES: '' }, 'TRUSTED_PROXIES must be addresses or ranges such as 10.0.0.0/8, with commas between'],
    [{ TRUSTED_PROXIES: '10.0.0.1,proxy' }, 'TRUSTED_PROXIES must be addresses or ranges such as 10.0.0.0/8'],
    ...['', '100', '0/60', '100/0', '100/60s', '-1/60', '1.5/60', ' 1/1'].map(
      (RATE_LIMIT) => [{ RATE_LIMIT }, 'RATE_LIMIT must be <requests>/<seconds>, such as 100/60'] as const,
    ),
  ])('A3, A8, G9: %j is refused by name', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message);
  });

  it('A3, A8: is without TLS, trusted proxies and a limit where nothing is said', () => {
    const { tls, proxies, rateLimit } = readConfig({});
    expect([tls, proxies.trusts('127.0.0.1'), rateLimit]).toEqual([undefined, false, undefined]);
  });

  it('A3, A8: is as it is said', () => {
    const { tls, proxies, rateLimit } = readConfig({
      TLS_CERT: 'a.pem',
      TLS_KEY: 'b.pem',
      TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      RATE_LIMIT: '100/60',
    });
    expect([tls, rateLimit]).toEqual([
      { cert: 'a.pem', key: 'b.pem' },
      { requests: 100, seconds: 60 },
    ]);
    expect(['10.9.9.9', '::1', '127.0.0.1'].map((each) => proxies.trusts(each))).toEqual([true, true, false]);
  });
});
