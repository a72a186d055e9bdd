import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formOf, jsonOf, objectOf } from './bodies.js';
import { SentNumber } from './sent-number.js';

const read = (form: string): unknown => JSON.parse(JSON.stringify(formOf(form, 'form')));
const nested = (levels: number): string => `a${'[x]'.repeat(levels - 1)}=1`;
const many = (count: number, name: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => `${name(n)}=1`).join('&');

describe('A2: a form or a query string', () => {
  it.each([
    ['', {}],
    ['a=1&b=two', { a: '1', b: 'two' }],
    ['a=', { a: '' }],
    ['a', { a: '' }],
    ['a=x&a=y', { a: ['x', 'y'] }],
    ['a[]=x&a[]=y', { a: ['x', 'y'] }],
    ['a%5B%5D=x', { a: ['x'] }],
    ['a[0]=x&a[1]=y', { a: ['x', 'y'] }],
    ['user[email]=a%40b.co&user[first_name]=Ann+Lee', { user: { email: 'a@b.co', first_name: 'Ann Lee' } }],
    ['user%5Bpartner_data%5D%5Ba%5D%5Bb%5D=1', { user: { partner_data: { a: { b: '1' } } } }],
    ['a=%E2%82%AC%2B&b=1%262', { a: '€+', b: '1&2' }],
    ['constructor=1&toString[x]=2', { constructor: '1', toString: { x: '2' } }],
    // A section that is also a value has a wrong type: the schema refuses it by name.
    ['user=x&user[email]=y', { user: ['x', { email: 'y' }] }],
  ])('%s', (form, value) => {
    expect(read(form)).toEqual(value);
  });

  it.each(['__proto__=1', 'a[__proto__][x]=1&b=2', 'a=1&%5F_proto__[x]=2', 'a[b][__proto__]'])(
    'A8: %s is refused, because no parameter may have this name',
    (form) => {
      expect(() => read(form)).toThrow('malformed form: __proto__ cannot be the name of a parameter');
    },
  );

  it('A8: with more than 2000 parameters or 64 levels is refused, never cut', () => {
    const bounds = 'malformed form: at most 2000 parameters, in 64 levels';
    expect(Object.keys(read(many(2000, (n) => `p${n}`)) as object)).toHaveLength(2000);
    expect(read(many(2000, () => 'a[]'))).toHaveProperty('a.length', 2000);
    let value = read(nested(64));
    let depth = 0;
    for (; typeof value === 'object'; depth += 1) value = Object.values(value as object)[0];
    expect(depth).toBe(64);
    for (const form of [
      many(2001, (n) => `p${n}`),
      many(2001, () => 'a[]'),
      many(2001, () => 'a'),
      'a[2000]=1',
      nested(65),
    ]) {
      expect(() => formOf(form, 'form')).toThrow(expect.objectContaining({ status: 400, message: bounds }));
    }
  });

  it('A8: is refused if a percent sign is not followed by UTF-8', () => {
    for (const form of ['a=%', 'a=%4', 'a=%zz', 'a=%ff', '%=1', 'a[%]=1']) {
      expect(() => formOf(form, 'query string')).toThrow(
        expect.objectContaining({
          status: 400,
          message: 'malformed query string: a % that is not followed by UTF-8',
        }),
      );
    }
  });

  it('takes time in proportion to its length, for any content', () => {
    const begin = performance.now();
    for (const form of [
      many(2000, (n) => `a${n}[1999]`),
      many(2000, (n) => `a[${n}]`),
      many(2000, (n) => `a${'[x]'.repeat(63)}[${n}]`).slice(0, 1_000_000),
      `a=${'%41'.repeat(300_000)}`,
      `${'['.repeat(500_000)}=${']'.repeat(500_000)}`,
      `${'a[b'.repeat(300_000)}=1`,
    ]) {
      try {
        formOf(form, 'form');
      } catch {
        // A refusal is fine.
      }
    }
    expect(performance.now() - begin).toBeLessThan(30_000);
  });
});

describe('A2 A8: a JSON body', () => {
  it('has a value, is empty, or is refused', () => {
    expect([jsonOf(''), jsonOf('{"a":[1]}')]).toEqual([undefined, { a: [1] }]);
    expect(() => jsonOf('{')).toThrow(
      expect.objectContaining({ status: 400, message: 'malformed JSON at line 1, column 2' }),
    );
    expect(jsonOf('['.repeat(64) + ']'.repeat(64))).toBeDefined();
    expect(() => jsonOf('['.repeat(66) + ']'.repeat(66))).toThrow('malformed JSON: more than 64 levels');
  });

  it.each([
    ['{"a":1,"a":2}', ' at line 1, column 8'],
    ['{"a":1,\n "a":1}', ' at line 2, column 2'],
    ['{"a":1,"\\u0061":2}', ' at line 1, column 8'],
    ['{"user":{"email":"a","email":"b"}}', ' at line 1, column 22'],
    ['[{"a":1.5,"a":2}]', ' at line 1, column 11'],
    ['{"__proto__":1,"__proto__":2}', ' at line 1, column 16'],
    [`{"a":1,"b":"${'x'.repeat(5000)}","a":2}`, ''],
  ])('I1: %j is refused, because the first value would be lost', (body, place) => {
    expect(() => jsonOf(body)).toThrow(
      expect.objectContaining({ status: 400, message: `malformed JSON: an object has a name twice${place}` }),
    );
  });

  it('I1: the same name in two objects, and text that looks like names, are no repetition', () => {
    for (const value of [
      [{ a: 1 }, { a: 2 }],
      { a: { a: { a: null } } },
      { a: '"a":1,"a":2', 'b":': ':' },
      { __proto: 1 },
    ])
      expect(jsonOf(JSON.stringify(value))).toEqual(value);
  });

  it.each<readonly [string, readonly unknown[]]>([
    ['0', [0]],
    ['7, -7, 123456789012345', [7, -7, 123456789012345]],
    ['9007199254740991, -9007199254740991', [9007199254740991, -9007199254740991]],
    ['9007199254740992', ['9007199254740992']],
    ['9007199254740993, 1', ['9007199254740993', 1]],
    ['-9007199254740992', ['-9007199254740992']],
    ['8389766145050669870', ['8389766145050669870']],
    ['1.0', ['1.0']],
    ['0.1, 1e2, 1E2, 1e-2', ['0.1', '1e2', '1E2', '1e-2']],
    ['-0', ['-0']],
    ['-0.0', ['-0.0']],
    ['1e400', ['1e400']],
    ['true, false, null, "1.0 e -0 12345678901234567890"', [true, false, null, '1.0 e -0 12345678901234567890']],
  ])('I1: of %s, no number loses its text', (numbers, expected) => {
    const found = jsonOf(`[${numbers}]`) as unknown[];
    expect(found.map((each) => (each instanceof SentNumber ? String(each) : each))).toEqual(expected);
    expect(jsonOf(`{"a":{"b":[${numbers}]}}`)).toEqual({ a: { b: found } });
  });

  it('I1: a scan finds each number that JavaScript would change', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
        fc.constantFrom('', '.0', '.50', 'e0', 'E+1', 'e-3'),
        (whole, rest) => {
          const text = `${whole}${rest}`;
          const found = jsonOf(`{"a":[1, ${text}]}`) as { readonly a: readonly unknown[] };
          expect(String(found.a[1])).toBe(text);
        },
      ),
    );
  });

  it('A2: gives the parameters of an object, and none if it is empty or null; anything else is refused', () => {
    expect([objectOf(''), objectOf('null'), objectOf('{"a":[1]}')]).toEqual([undefined, undefined, { a: [1] }]);
    for (const body of ['[]', '[{"a":1}]', '1', '"a"', 'true', 'false'])
      expect(() => objectOf(body)).toThrow(
        expect.objectContaining({ status: 422, message: 'the body must be a JSON object' }),
      );
  });
});
