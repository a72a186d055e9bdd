import { describe, expect, it } from '@jest/globals';
import { dealUnits, type UnitOperation } from './deal-units.js';
import { type Called, linearize, type Verdict } from './linearizable.js';

const STEPS = 100_000;

type Plain = UnitOperation extends infer Op ? (Op extends UnitOperation ? Omit<Op, 'from' | 'to'> : never) : never;

/** An operation between two instants; the service's clock shows the same numbers. */
function between(invoked: number, returned: number, op: Plain): Called<UnitOperation> {
  return { op: { ...op, from: invoked, to: returned }, invoked, returned };
}
const reserve = (id: string, quantity = 1, deadline = 1_000_000): Plain => ({
  type: 'reserve',
  id,
  quantity,
  deadline,
});
const take = (id: string, quantity = 1): Plain => ({ type: 'take', id, quantity });
const tooFew = (left: number): Plain => ({ type: 'too few', left });
const verdict = (stock: number | null, ...history: Called<UnitOperation>[]): Verdict<UnitOperation>['kind'] =>
  linearize(dealUnits(stock, 0), history, STEPS).kind;

describe('the units of a deal as its clients see them', () => {
  it('are given one after another until none is left', () => {
    expect(verdict(2, between(0, 1, reserve('a')), between(2, 3, take('b')), between(4, 5, tooFew(0)))).toBe(
      'linearizable',
    );
  });

  it('are not given twice: an oversell has no order', () => {
    const oversold = linearize(
      dealUnits(2, 0),
      [between(0, 1, reserve('a')), between(0, 9, take('b')), between(2, 3, take('c'))],
      STEPS,
    );
    expect(oversold).toMatchObject({ kind: 'not', explained: 2 });
  });

  it('may be given in any order to those who ask at the same time', () => {
    expect(verdict(1, between(0, 10, tooFew(0)), between(5, 15, reserve('a')))).toBe('linearizable');
    expect(verdict(1, between(0, 4, tooFew(0)), between(5, 15, reserve('a')))).toBe('not');
  });

  it('are not refused by what was true before: a stale read has no order', () => {
    const stale = [between(0, 1, take('a')), between(2, 3, { type: 'give back', id: 'a' }), between(4, 5, tooFew(0))];
    expect(verdict(1, ...stale)).toBe('not');
    expect(verdict(1, ...stale.slice(0, 2), between(2, 5, tooFew(0)))).toBe('linearizable');
  });

  it('tell how many are left', () => {
    expect(verdict(5, between(0, 1, take('a', 3)), between(2, 3, tooFew(2)))).toBe('linearizable');
    expect(verdict(5, between(0, 1, take('a', 3)), between(2, 3, tooFew(1)))).toBe('not');
    expect(verdict(null, between(2, 3, tooFew(0)))).toBe('not');
  });

  it('come back when a hold ends, not before', () => {
    const held = between(0, 1, reserve('a', 1, 300));
    expect(verdict(1, held, between(200, 299, take('b')))).toBe('not');
    expect(verdict(1, held, between(200, 300, take('b')))).toBe('linearizable');
    expect(verdict(1, held, between(301, 302, tooFew(0)))).toBe('not');
    expect(verdict(1, held, between(299, 302, tooFew(0)))).toBe('linearizable');
  });

  it('are claimed from their hold, or fresh after it has ended', () => {
    const held = between(0, 1, reserve('a', 1, 300));
    const claimed = (at: number): Called<UnitOperation> => between(at, at + 1, { type: 'claim', id: 'a', quantity: 1 });
    expect(verdict(1, held, claimed(10), between(400, 401, tooFew(0)))).toBe('linearizable');
    expect(verdict(1, held, between(301, 302, take('b')), claimed(303))).toBe('not');
    expect(verdict(2, held, between(301, 302, take('b')), claimed(303))).toBe('linearizable');
    expect(verdict(1, held, claimed(10), between(20, 21, { type: 'release', id: 'a' }))).toBe('not');
    // Again by the same user.
    expect(verdict(1, held, claimed(10), claimed(20))).toBe('linearizable');
  });

  it('come back by a release and by a cancelled coupon, once', () => {
    const released = between(2, 3, { type: 'release', id: 'a' });
    expect(verdict(1, between(0, 1, reserve('a')), released, between(4, 5, take('b')))).toBe('linearizable');
    const returned = between(2, 3, { type: 'return' });
    expect(verdict(1, between(0, 1, take('a')), returned, between(4, 5, take('b')))).toBe('linearizable');
    expect(verdict(1, between(0, 1, take('a')), returned, between(4, 5, take('b')), between(6, 7, take('c')))).toBe(
      'not',
    );
  });

  it('are never fewer than what is held and sold', () => {
    const sold = between(0, 1, take('a', 3));
    expect(verdict(5, sold, between(2, 3, { type: 'set stock', units: 2 }))).toBe('not');
    expect(verdict(5, sold, between(2, 3, { type: 'stock too low', units: 2 }))).toBe('linearizable');
    expect(verdict(5, sold, between(2, 3, { type: 'stock too low', units: 3 }))).toBe('not');
    expect(verdict(1, between(0, 5, { type: 'set stock', units: 2 }), between(0, 5, take('b', 2)))).toBe(
      'linearizable',
    );
  });
});

describe('the units of a deal with codes', () => {
  const codes = between(0, 1, { type: 'add codes', codes: 2 });

  it('are as many as its codes, and a code does not come back with a cancelled coupon', () => {
    const both = [codes, between(2, 3, take('a')), between(4, 5, take('b'))];
    const returned = between(6, 7, { type: 'return' });
    expect(verdict(5, ...both, between(6, 7, tooFew(0)))).toBe('linearizable');
    expect(verdict(5, ...both, between(6, 7, take('c')))).toBe('not');
    expect(verdict(5, ...both, returned, between(8, 9, take('c')))).toBe('not');
    expect(verdict(5, ...both, returned, between(8, 9, tooFew(0)))).toBe('linearizable');
    expect(verdict(5, codes, between(2, 3, reserve('a', 2, 300)), between(4, 5, take('b')))).toBe('not');
  });

  it('come back, with their codes, from a checkout that came to nothing', () => {
    const undone = between(4, 5, { type: 'give back', id: 'a' });
    expect(verdict(5, codes, between(2, 3, take('a', 2)), undone, between(6, 7, take('b', 2)))).toBe('linearizable');
  });
});

describe('an operation without an answer', () => {
  it('may take effect at any later time, or never', () => {
    const lost = between(0, Infinity, take('a'));
    expect(verdict(1, lost, between(10, 11, tooFew(0)))).toBe('linearizable');
    expect(verdict(1, lost, between(10, 11, take('b')))).toBe('linearizable');
    expect(verdict(1, between(2, Infinity, take('a')), between(0, 1, tooFew(0)))).toBe('not');
  });

  it('takes effect once', () => {
    const lost = between(0, Infinity, take('a'));
    expect(verdict(2, lost, between(10, 11, tooFew(0)))).toBe('not');
    expect(verdict(1, lost, between(10, 11, tooFew(0)), between(12, 13, take('b')))).toBe('not');
  });
});

describe('the search', () => {
  it('decides long histories of racing operations', () => {
    const history = Array.from({ length: 300 }, (_, index) => between(index * 3, index * 3 + 12, take(`${index}`)));
    expect(verdict(300, ...history, between(1_000, 1_001, tooFew(0)))).toBe('linearizable');
    expect(verdict(299, ...history.slice(0, 30), between(1_000, 1_001, tooFew(0)))).toBe('not');
  });

  it('gives up after so many steps', () => {
    const history = Array.from({ length: 12 }, (_, index) => between(0, 10, take(`${index}`)));
    expect(linearize(dealUnits(11, 0), history, 50)).toEqual({ kind: 'unknown' });
  });
});
