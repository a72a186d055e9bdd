import { describe, expect, it } from '@jest/globals';
import { Proxies } from './proxies.js';

describe('A3: trusted proxies', () => {
  it.each([
    [['10.0.0.0/8'], ['10.1.2.3', '::ffff:10.1.2.3'], ['11.0.0.1', '::1', '127.0.0.1']],
    [['192.0.2.7'], ['192.0.2.7'], ['192.0.2.8', '192.0.2.70']],
    [
      ['fd00::/8', '::1'],
      ['fd12::1', '::1', 'fd00::1%eth0'],
      ['fe80::1', '127.0.0.1'],
    ],
    [['0.0.0.0/0'], ['203.0.113.9'], []],
    [[], [], ['127.0.0.1', '::1']],
  ])('%j', (ranges, trusted, others) => {
    const proxies = new Proxies(ranges);
    expect(trusted.filter((address) => !proxies.trusts(address))).toEqual([]);
    expect([...others, undefined, '', 'unknown', '10.0.0', 'x'].filter((each) => proxies.trusts(each))).toEqual([]);
  });

  it.each(['', 'proxy.example.com', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '::/129', '10.0.0.0/8/8', '10.0.0'])(
    '%j is neither an address nor a range',
    (range) => {
      expect(() => new Proxies(['127.0.0.1', range])).toThrow(RangeError);
    },
  );
});

describe('A3: a long X-Forwarded-For', () => {
  const client = '203.0.113.7, 10.0.0.1';
  const long = `${'198.51.100.9, '.repeat(1_000)}${client}`;
  const cut = (forwarded: string | undefined, remoteAddress: string): string | undefined => {
    const headers: Record<string, string | undefined> = { 'x-forwarded-for': forwarded };
    new Proxies(['10.0.0.0/8']).cutForwarded({ headers, socket: { remoteAddress } });
    return headers['x-forwarded-for'];
  };

  it('keeps its end, in whole addresses, from a trusted proxy', () => {
    const kept = cut(long, '10.0.0.2') ?? '';
    expect(kept.length).toBeLessThanOrEqual(2_000);
    expect(kept.split(',').filter((each) => each.trim() !== '198.51.100.9')).toEqual([' 203.0.113.7', ' 10.0.0.1']);
  });

  it('counts for nothing from anybody else', () => {
    expect(cut(long, '192.0.2.1')).toBe('');
  });

  it.each([client, '', undefined])('stays as it is if it is short: %j', (short) => {
    expect(cut(short, '10.0.0.2')).toBe(short);
  });

  it('without a comma names nobody', () => {
    expect(cut('x'.repeat(5_000), '10.0.0.2')).toHaveLength(2_000);
  });
});
