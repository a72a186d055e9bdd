import { describe, expect, it } from '@jest/globals';
import { networkOf } from './networks.js';

describe('A8: the network that an address counts under', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:61234', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['0:0:0:0:0:FFFF:cb00:7107', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2:ffff::1', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]:61234', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::9', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', 'unknown'],
    ['', 'unknown'],
    [undefined, 'unknown'],
    ['x'.repeat(10_000), 'unknown'],
    ['[::1', 'unknown'],
    ['1.2.3.4.5:6', 'unknown'],
  ])('of %s is %s', (address, expected) => {
    expect(networkOf(address)).toBe(expected);
  });
});
