import { describe, expect, it } from '@jest/globals';
import { BrokenEvent, Codec, UnknownEventType } from '#eventsourcing';
import type { EventTypes, Recorded, Upcaster } from '#kernel';

const up = (from: string, to: string, change: (data: object) => object): Upcaster => ({ from, to, change });
const types = (names: readonly string[], ...upcasters: Upcaster[]): EventTypes => ({
  category: 'x',
  names,
  upcasters,
  numbers: {},
});
const stored = (type: string, data: object): Recorded => ({
  type,
  data,
  id: 'i',
  stream: 'x-1',
  revision: 4,
  position: 9n,
  metadata: { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'a' },
});
const lengthIn = (data: object): number => (data as { readonly list: readonly number[] }).list.length;

describe('the codec', () => {
  it('leaves events of a present version as they are', () => {
    const event = stored('a.v3', { n: 1 });
    expect(new Codec([types(['a.v3'])]).decode(event)).toBe(event);
  });

  it('takes older versions through their upcasters, in order, and does not change the input', () => {
    const codec = new Codec([
      types(
        ['a.v3', 'b.v1'],
        up('a.v1', 'a.v2', (data) => ({ ...data, two: 2 })),
        up('a.v2', 'a.v3', (data) => ({ ...data, three: Object.keys(data).length })),
      ),
    ]);
    const old = Object.freeze(stored('a.v1', Object.freeze({ one: 1 })));
    expect(codec.decode(old)).toEqual({ ...old, type: 'a.v3', data: { one: 1, two: 2, three: 2 } });
    expect(codec.decode(stored('a.v2', { one: 1 }))).toMatchObject({ type: 'a.v3', data: { one: 1, three: 1 } });
    expect(codec.names).toEqual(['a.v3', 'b.v1', 'a.v1', 'a.v2']);
  });

  it('refuses unknown types, with a message for operators', () => {
    const codec = new Codec([types(['a.v1'])]);
    expect(() => codec.decode(stored('a.v2', {}))).toThrow(UnknownEventType);
    expect(() => codec.decode(stored('a.v2', {}))).toThrow(/x-1@4 has the type a\.v2.*newer build/);
  });

  it('refuses data that is no object, and data that an upcaster cannot read, and names the event', () => {
    const codec = new Codec([
      types(
        ['a.v2'],
        up('a.v1', 'a.v2', (data) => ({ length: lengthIn(data) })),
      ),
    ]);
    for (const data of [null, 'text', 7] as unknown as readonly object[]) {
      expect(() => codec.decode(stored('a.v2', data))).toThrow(BrokenEvent);
      expect(() => codec.decode(stored('a.v1', data))).toThrow('x-1@4 (a.v1) is broken: its data is no object');
    }
    expect(codec.decode(stored('a.v1', { list: [1] })).data).toEqual({ length: 1 });
    expect(() => codec.decode(stored('a.v1', {}))).toThrow(BrokenEvent);
    expect(() => codec.decode(stored('a.v1', {}))).toThrow('x-1@4 (a.v1) is broken: its data is not that of a.v1');
  });

  it('D1: refuses an event whose number is none, and names it; null counts only where it may be', () => {
    const codec = new Codec([{ ...types(['a.v1', 'b.v1']), numbers: { 'a.v1': ['n', 'most?'] } }]);
    for (const data of [
      { n: 1, most: 2 },
      { n: 0, most: null },
    ]) {
      expect(codec.decode(stored('a.v1', data)).data).toBe(data);
    }
    for (const [data, field] of [
      [{ most: 2 }, 'n'],
      [{ n: null, most: 2 }, 'n'],
      [{ n: '1', most: 2 }, 'n'],
      [{ n: 1.5, most: 2 }, 'n'],
      [{ n: 1 }, 'most'],
    ] as const) {
      expect(() => codec.decode(stored('a.v1', data))).toThrow(BrokenEvent);
      expect(() => codec.decode(stored('a.v1', data))).toThrow(
        `x-1@4 (a.v1) is broken: its ${field} is not an integer`,
      );
    }
    expect(codec.decode(stored('b.v1', {})).data).toEqual({});
  });

  it('D1: refuses a number that a stream of this length cannot have given out, and names it', () => {
    const numbers = { 'a.v1': ['n', 'units'] };
    const codec = new Codec([{ ...types(['a.v1', 'b.v1']), numbers, givenOut: { 'a.v1': { n: 1, units: 1_000 } } }]);
    for (const data of [
      { n: 0, units: 0 },
      { n: 5, units: 5_000 },
    ])
      expect(codec.decode(stored('a.v1', data)).data).toBe(data);
    for (const [data, fault] of [
      [{ n: -1, units: 0 }, 'its n is -1, and a stream of this length has given out 0 to 5'],
      [{ n: 6, units: 0 }, 'its n is 6'],
      [{ n: 0, units: 5_001 }, 'its units is 5001, and a stream of this length has given out 0 to 5000'],
      [{ n: 2 ** 52, units: 0 }, `its n is ${2 ** 52}`],
      [{ n: 2 ** 53, units: 0 }, 'its n is not an integer'],
    ] as const) {
      expect(() => codec.decode(stored('a.v1', data))).toThrow(BrokenEvent);
      expect(() => codec.decode(stored('a.v1', data))).toThrow(`x-1@4 (a.v1) is broken: ${fault}`);
    }
    expect(codec.decode(stored('b.v1', { n: -1 })).data).toEqual({ n: -1 });
  });

  it('D1: refuses an event with a part whose number is none, and one without that part', () => {
    const codec = new Codec([{ ...types(['a.v1']), numbers: { 'a.v1': ['terms.price', 'terms.deal.most?'] } }]);
    const whole = { terms: { price: 1, deal: { most: null } } };
    expect(codec.decode(stored('a.v1', whole)).data).toBe(whole);
    for (const [data, field] of [
      [{}, 'terms.price'],
      [{ terms: null }, 'terms.price'],
      [{ terms: { price: '1', deal: { most: 1 } } }, 'terms.price'],
      [{ terms: { price: 1 } }, 'terms.deal.most'],
      [{ terms: { price: 1, deal: {} } }, 'terms.deal.most'],
    ] as const) {
      expect(() => codec.decode(stored('a.v1', data))).toThrow(`(a.v1) is broken: its ${field} is not an integer`);
    }
  });

  it.each<readonly [string, readonly EventTypes[], RegExp]>([
    ['one name twice', [types(['a.v1']), types(['a.v1'])], /a\.v1 is registered twice/],
    [
      'two upcasters from one',
      [types(['a.v2'], up('a.v1', 'a.v2', Object), up('a.v1', 'a.v2', Object))],
      /two upcasters/,
    ],
    ['an upcaster to nowhere', [types(['a.v3'], up('a.v1', 'a.v2', Object))], /from a\.v1 lead nowhere/],
    ['upcasters in a circle', [types([], up('a.v1', 'a.v2', Object), up('a.v2', 'a.v1', Object))], /lead nowhere/],
    // It would never run: the old events would count as new ones.
    ['an upcaster from a present version', [types(['a.v1', 'a.v2'], up('a.v1', 'a.v2', Object))], /a\.v1 is a present/],
  ])('its constructor refuses %s', (_, registered, words) => {
    expect(() => new Codec(registered)).toThrow(words);
  });
});
