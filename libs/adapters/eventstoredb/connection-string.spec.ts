import { describe, expect, it } from '@jest/globals';
import { connectionOf, hostsOf } from './connection-string.js';

describe('G9: a connection string', () => {
  it.each(['esdb', 'kurrentdb', 'kdb', 'kurrent'])(
    'may begin with %s:// and %s+discover://, which mean the same',
    (scheme) => {
      expect(connectionOf(`${scheme}://a:2113?tls=false`)).toEqual({
        hosts: [{ address: 'a', port: 2113 }],
        dnsDiscover: false,
        tls: false,
        ignored: [],
      });
      expect(connectionOf(`${scheme}+discover://eventstore.internal`)).toEqual({
        hosts: [{ address: 'eventstore.internal', port: 2113 }],
        dnsDiscover: true,
        ignored: [],
      });
    },
  );

  it.each([
    ['esdb://[::1]:2113', [{ address: '::1', port: 2113 }], '[::1]:2113'],
    ['kurrentdb://[fe80::1]', [{ address: 'fe80::1', port: 2113 }], '[fe80::1]:2113'],
    [
      'esdb://ann:secret@a:1,[2001:db8::2]:2,10.0.0.3/?tls=true',
      [
        { address: 'a', port: 1 },
        { address: '2001:db8::2', port: 2 },
        { address: '10.0.0.3', port: 2113 },
      ],
      'a:1, [2001:db8::2]:2, 10.0.0.3:2113',
    ],
  ])('may name hosts by IPv6 addresses in brackets: %s', (url, hosts, shown) => {
    expect(connectionOf(url).hosts).toEqual(hosts);
    expect(hostsOf(connectionOf(url))).toBe(shown);
  });

  it.each([
    ['admin:changeit@', 'admin', 'changeit'],
    ['a%40b:c%3Ad@', 'a@b', 'c:d'],
    ['admin:a/b?c=d&e@', 'admin', 'a/b?c=d&e'],
    ['admin:a:b@', 'admin', 'a:b'],
  ])('may have a user: %s', (user, username, password) => {
    expect(connectionOf(`esdb://${user}a:2113?tlsCAFile=/ca@home.pem`)).toMatchObject({
      hosts: [{ address: 'a', port: 2113 }],
      defaultCredentials: { username, password },
      tlsCAFile: '/ca@home.pem',
    });
  });

  it('has options with names in any form, and says which ones have no effect', () => {
    const options = 'TLS=False&default_deadline=500&keep-alive-interval=-1&nodePreference=Leader&gossipTimeout=1';
    expect(connectionOf(`esdb://a?${options}&tlsVerifyCert=false&colour=blue`)).toEqual({
      hosts: [{ address: 'a', port: 2113 }],
      dnsDiscover: false,
      tls: false,
      defaultDeadline: 500,
      keepAliveInterval: -1,
      ignored: ['tlsVerifyCert', 'colour'],
    });
  });

  it.each([
    'http://a:2113',
    'esdb:a',
    'esdb://',
    'esdb://a:port',
    'esdb://a:70000',
    'esdb://::1:2113',
    'esdb://[a]:2113',
    'esdb://a,,b',
    'esdb://a?tls=maybe',
    'esdb://a?tls',
    'esdb://a?keepAliveTimeout=soon',
    'esdb://ann:%zz@a',
  ])('is refused by the name of its setting, without any part of it: %s', (url) => {
    expect(() => connectionOf(url)).toThrow(
      new TypeError('EVENTSTORE_URL is not a connection string such as esdb://127.0.0.1:2113?tls=false'),
    );
  });
});
