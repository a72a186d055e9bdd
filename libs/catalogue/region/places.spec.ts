import { describe, expect, it } from '@jest/globals';
import { readPlace } from './places.js';

describe('C4: what a text names', () => {
  it.each([
    ['02114', { kind: 'zip', zip: '02114' }],
    ['02114-1234', { kind: 'zip', zip: '02114' }],
    [' 02114 ', { kind: 'zip', zip: '02114' }],
    ['Boston, MA', { kind: 'city', city: 'Boston', state: 'MA' }],
    ['boston,ma', { kind: 'city', city: 'boston', state: 'MA' }],
    ['Boston/MA', { kind: 'city', city: 'Boston', state: 'MA' }],
    ['  New   York ,  Ny ', { kind: 'city', city: 'New York', state: 'NY' }],
    ['192.0.2.1', { kind: 'ip', address: '192.0.2.1' }],
    ['2001:db8::1', { kind: 'ip', address: '2001:db8::1' }],
    ['::ffff:192.0.2.1', { kind: 'ip', address: '::ffff:192.0.2.1' }],
    ['boston', { kind: 'slug', slug: 'boston' }],
    ['2114', { kind: 'slug', slug: '2114' }],
    ['021145', { kind: 'slug', slug: '021145' }],
    ['02114-12', { kind: 'slug', slug: '02114-12' }],
    ['Boston, Massachusetts', { kind: 'slug', slug: 'Boston, Massachusetts' }],
    ['Boston MA', { kind: 'slug', slug: 'Boston MA' }],
    [', MA', { kind: 'slug', slug: ', MA' }],
    ['a, b, MA', { kind: 'slug', slug: 'a, b, MA' }],
    ['192.0.2.256', { kind: 'slug', slug: '192.0.2.256' }],
    ['fe80::1%eth0', { kind: 'slug', slug: 'fe80::1%eth0' }],
  ])('%s', (text, named) => {
    expect(readPlace(text)).toEqual(named);
  });
});
