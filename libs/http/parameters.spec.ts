import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ValidationFailed } from './errors.js';
import { pagingOf } from './lists.js';
import { mergeParameters } from './merge-parameters.js';
import { jsonOf } from './bodies.js';
import {
  boolean,
  date,
  digits,
  emailAddress,
  float,
  freeObject,
  instant,
  integer,
  list,
  localMoment,
  moment,
  oneOfWords,
  optional,
  perhapsEmpty,
  read,
  slug,
  text,
  twoLetters,
  words,
} from './parameters.js';
import { isPlainNumber, SentNumber } from './sent-number.js';

const entries = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    if (error instanceof ValidationFailed)
      return error.entries.map(({ type, message, field }) => `${field}: ${type} ${message}`);
    throw error;
  }
};
const NO_TIME = 'must be a time such as 2027-01-31T12:00:00Z';
const one = (schema: z.ZodType, value: unknown): unknown => {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : 'refused';
};

describe('A2: parameters of query and body', () => {
  it('are merged; the body wins', () => {
    expect(mergeParameters({ a: '1', b: '2' }, { b: 3, c: 4 })).toEqual({ a: '1', b: 3, c: 4 });
  });

  it('a[] means a, for a single value too, and the body wins over the query in either spelling', () => {
    expect(mergeParameters({ 'a[]': ['x', 'y'], 'b[]': 'x' }, undefined)).toEqual({ a: ['x', 'y'], b: ['x'] });
    expect(mergeParameters({ a: 'x' }, { 'a[]': ['y'] })).toEqual({ a: ['y'] });
    expect(mergeParameters({ 'a[]': 'x' }, { a: 'y' })).toEqual({ a: 'y' });
  });

  it('a body that is not an object has none', () => {
    for (const body of [undefined, null, 'text', 5, ['a']])
      expect(mergeParameters({ a: '1' }, body)).toEqual({ a: '1' });
  });

  // This name would change the object itself: the schema would see the value, but the fingerprint of A11 would not.
  it('__proto__ is a name like any other', () => {
    for (const name of ['__proto__', '__proto__[]']) {
      const merged = mergeParameters({}, JSON.parse(`{"${name}": {"user_id": "u1"}}`));
      expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
      expect(merged['user_id']).toBeUndefined();
      expect(Object.keys(merged)).toEqual(['__proto__']);
    }
  });
});

describe('A2: the values that a parameter accepts', () => {
  it.each<readonly [string, z.ZodType, unknown, unknown]>([
    ['an integer', integer('any'), 5, 5],
    ['its text', integer('any'), '5', 5],
    ['a negative one', integer('any'), '-5', -5],
    ['a whole float', integer('any'), '5.0', 5],
    ['a whole float for cents', integer('cents'), '5.0', 'refused'],
    ['cents', integer('cents'), '2500', 2500],
    ['a fraction for an integer', integer('any'), '5.5', 'refused'],
    ['exponents', integer('any'), '1e3', 'refused'],
    ['hexadecimals', integer('any'), '0x10', 'refused'],
    ['an empty text for an integer', integer('any'), '', 'refused'],
    ['spaces', integer('any'), ' 5', 'refused'],
    ['a boolean for an integer', integer('any'), true, 'refused'],
    ['beyond what numbers hold exactly', integer('any'), '9007199254740993', 'refused'],
    ['text that is nearly an integer', integer('any'), '24.99999999999999999999', 'refused'],
    ['a whole float in JSON', integer('any'), new SentNumber('25.0'), 25],
    ['an exponent in JSON', integer('any'), new SentNumber('2e3'), 2000],
    ['the negative zero', integer('any'), new SentNumber('-0'), 0],
    ['nearly an integer in JSON', integer('any'), new SentNumber('24.99999999999999999999'), 'refused'],
    ['a fraction in JSON', integer('any'), new SentNumber('25.5'), 'refused'],
    ['beyond what numbers hold exactly, in JSON', integer('any'), new SentNumber('9007199254740993'), 'refused'],
    ['infinity', integer('any'), new SentNumber('1e400'), 'refused'],
    ['dollars for cents', integer('cents'), new SentNumber('25.00'), 'refused'],
    ['an exponent for cents', integer('cents'), new SentNumber('25e2'), 'refused'],
    ['a float in JSON', float('latitude'), new SentNumber('42.360100'), 42.3601],
    ['the nearest number for a float', float('latitude'), new SentNumber('42.36010000000000000001'), 42.3601],
    ['infinity for a float', float('latitude'), new SentNumber('1e400'), 'refused'],
    ['a number with a fraction for a list', words('tags', text('line')), new SentNumber('1.5'), 'refused'],
    ['below the bound', integer('perPage'), 0, 'refused'],
    ['above the bound', integer('perPage'), '1001', 'refused'],
    ['at the bound', integer('perPage'), '1000', 1000],
    ['a float', float('latitude'), '-71.05', -71.05],
    ['text for a float', float('latitude'), 'north', 'refused'],
    ['beyond the pole', float('latitude'), 90.1, 'refused'],
    ['true', boolean(), true, true],
    ['its text', boolean(), 'false', false],
    ['one for true', boolean(), 1, 'refused'],
    ['TRUE', boolean(), 'TRUE', 'refused'],
    ['a text', text('line'), 'x', 'x'],
    ['a number for a text', text('line'), 2139, '2139'],
    ['a boolean for a text', text('line'), true, 'refused'],
    ['an empty text', text('line'), '', 'refused'],
    ['a text at its bound', text('zip'), '8'.repeat(20), '8'.repeat(20)],
    ['a text above its bound', text('zip'), '8'.repeat(21), 'refused'],
    ['the largest integer for a text', text('line'), Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['a larger number for a text', text('line'), 2 ** 53, 'refused'],
    ['a fraction for a text', text('line'), 1.5, 'refused'],
    ['the negative zero for a text', text('line'), -0, 'refused'],
    ['a list as a,b', words('tags', text('line')), 'a,b', ['a', 'b']],
    ['a list as a list', words('tags', text('line')), ['a', 5], ['a', '5']],
    ['a list with blanks', words('tags', text('line')), ' a, b c ,d', ['a', 'b c', 'd']],
    ['a list of texts with blanks', words('tags', text('line')), [' a', 'b\t'], ['a', 'b']],
    ['a blank in a list', words('tags', text('line')), 'a, ,b', 'refused'],
    ['a list of one', words('tags', text('line')), 'a', ['a']],
    ['a number for a list', words('tags', text('line')), 5, 'refused'],
    ['one of some words', oneOfWords(['a', 'b']), 'b', 'b'],
    ['another word', oneOfWords(['a', 'b']), 'c', 'refused'],
    ['a text as long as may be, in UTF-16', text('line'), `${'*'.repeat(253)}😀`, `${'*'.repeat(253)}😀`],
    ['one that is longer by half of its last character', text('line'), `${'*'.repeat(254)}😀`, 'refused'],
    ['one that is longer, and has such a character', text('line'), `😀${'*'.repeat(300)}`, 'refused'],
    ['an e-mail', emailAddress(), 'ann@example.test', 'ann@example.test'],
    ['no e-mail', emailAddress(), 'ann', 'refused'],
    ['a slug', slug(), 'spa-day-2', 'spa-day-2'],
    ['capitals in a slug', slug(), 'Spa', 'refused'],
    ['a dash at the end of a slug', slug(), 'spa-', 'refused'],
    ['a date', date(), '1992-02-29', '1992-02-29'],
    ['a day that was not', date(), '1991-02-29', 'refused'],
  ])('%s', (_, schema, value, expected) => {
    expect(one(schema, value)).toEqual(expected);
  });

  it.each<readonly [string, unknown, unknown]>([
    ['2013-10-25T06:59:59Z', Date.parse('2013-10-25T06:59:59Z'), Date.parse('2013-10-25T06:59:59Z')],
    ['2013-10-25T06:59:59-08:00', Date.parse('2013-10-25T14:59:59Z'), Date.parse('2013-10-25T14:59:59Z')],
    ['2013-10-25T06:59:59', Date.parse('2013-10-25T06:59:59Z'), '2013-10-25T06:59:59'],
    [
      '2013-10-25',
      'is a whole day: send a moment of it, such as 2013-10-25T12:00:00Z',
      'is a whole day: send a moment of it, such as 2013-10-25T23:59:59',
    ],
    ['2013-02-30', NO_TIME, NO_TIME],
    ['2013-02-30T12:00:00', NO_TIME, NO_TIME],
    ['soon', NO_TIME, NO_TIME],
  ])('I7: an operator sends %s for a moment', (sent, utc, local) => {
    const read = (schema: z.ZodType): unknown => {
      const { data, error } = schema.safeParse(sent);
      return error?.issues[0]?.message ?? data;
    };
    expect([read(moment('12:00:00')), read(localMoment())]).toEqual([utc, local]);
  });

  it.each<readonly [string, string | number]>([
    ['2013-10-25T06:59:59Z', '2013-10-25T06:59:59.000Z'],
    ['2013-10-25T06:59:59', '2013-10-25T06:59:59.000Z'],
    ['2013-10-25T06:59', '2013-10-25T06:59:00.000Z'],
    ['2013-10-25T06:59:59.250Z', '2013-10-25T06:59:59.250Z'],
    ['2013-10-25T06:59:59-08:00', '2013-10-25T14:59:59.000Z'],
    ['2013-10-25T06:59:59+0530', '2013-10-25T01:29:59.000Z'],
    ['2013-10-25', '2013-10-25T00:00:00.000Z'],
    ['2012-02-29', '2012-02-29T00:00:00.000Z'],
    ['2013-02-29', 'refused'],
    ['2013-02-30T00:00:00Z', 'refused'],
    ['2013-04-31T00:00:00-08:00', 'refused'],
    ['2013-13-01', 'refused'],
    ['2013-00-10', 'refused'],
    ['2013-10-25T25:00:00Z', 'refused'],
    ['2013-10-25T06:60:00Z', 'refused'],
    ['25/10/2013', 'refused'],
    ['tomorrow', 'refused'],
    ['', 'refused'],
  ])('a time: %s is %s', (given, expected) => {
    const ms = one(instant(), given);
    expect(typeof ms === 'number' ? new Date(ms).toISOString() : ms).toBe(expected);
  });
});

describe('I1: a number for a String', () => {
  const OTHERS = ['1.0', '0.5', '1e3', '-0', '9007199254740992', '-9007199254740993', '8389766145050669870'];
  const fault = (schema: z.ZodType, value: unknown): unknown => {
    const parsed = z.object({ it: schema }).safeParse({ it: value });
    return parsed.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  };

  it.each<readonly [string, z.ZodType]>([
    ['a text', text('line')],
    ['an id', text('id')],
    ['a text that may be empty', perhapsEmpty('line')],
    ['a text that may be absent', optional(text('line'))],
    ['a slug', slug()],
    ['an e-mail address', emailAddress()],
    ['a date', date()],
    ['a time', instant()],
    ['one of some words', oneOfWords(['a'])],
    ['digits', digits(19, /^\d+$/, 'must be digits')],
    ['two letters', twoLetters()],
  ])('is refused for %s, unless it is an integer that JSON keeps', (_, schema) => {
    for (const source of OTHERS) {
      expect(fault(schema, new SentNumber(source))).toEqual(['it must be sent as a String']);
      const number = Number(source);
      if (!isPlainNumber(number)) expect(fault(schema, number)).toEqual(['it must be sent as a String']);
    }
    for (const number of [0, 7, -7, Number.MAX_SAFE_INTEGER])
      expect(fault(schema, number) ?? []).not.toContain('it must be sent as a String');
  });

  it('is refused in a list of texts by its place', () => {
    expect(fault(words('tags', text('line')), ['a', 5, new SentNumber('5.0')])).toEqual([
      'it.2 must be sent as a String',
    ]);
  });
});

describe('I1: a number in an object with any content', () => {
  const given = (json: string): unknown => {
    const parsed = z.object({ it: freeObject() }).safeParse({ it: jsonOf(json) });
    return parsed.data?.it ?? parsed.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  };

  it('stays if its decimal value does', () => {
    const text = '{"a":[1.50,{"b":2e3,"c":-0.0,"d":0.1}],"e":1e-7}';
    expect(JSON.stringify(given(text))).toBe('{"a":[1.5,{"b":2000,"c":0,"d":0.1}],"e":1e-7}');
  });

  it('is refused by its place if it would change', () => {
    expect(given('{"a":[1,{"b":8389766145050669870}],"c":0.10000000000000001,"d":1e400,"e":2}')).toEqual([
      'it.a.1.b must be sent as a String',
      'it.c must be sent as a String',
      'it.d must be sent as a String',
    ]);
    expect(given(`{"a":0.${'0'.repeat(60_000)}1}`)).toEqual(['it.a must be sent as a String']);
  });

  it('a name that libraries leave out is refused, on every level', () => {
    for (const text of ['{"__proto__":1}', '{"a":[{"__proto__":{}}]}'])
      expect(given(text)).toEqual(['it must have no name __proto__']);
  });

  it('lone surrogates stay as well', () => {
    const text = '{"\\ud800":"\\udfff x"}';
    expect(JSON.stringify(given(text))).toBe(text);
  });
});

describe('A8: one answer names all wrong parameters', () => {
  const schema = z.object({
    deal_id: text('line'),
    quantity: integer('some'),
    user: z.object({ email: text('line') }).optional(),
    tags: words('tags', text('line')).optional(),
    places: list('locations', z.object({ city: text('line') }, { error: 'must be an object' }), '').optional(),
  });
  it.each<readonly [string, unknown, readonly string[]]>([
    ['missing', {}, ['deal_id: missing_field is missing', 'quantity: missing_field is missing']],
    [
      'empty is missing',
      { deal_id: '', quantity: '' },
      ['deal_id: missing_field is missing', 'quantity: missing_field is missing'],
    ],
    ['wrong', { deal_id: 'd', quantity: 'two' }, ['quantity: invalid must be an integer of at least 1']],
    ['within', { deal_id: 'd', quantity: 1, user: {} }, ['user.email: missing_field is missing']],
    // An element of a list has no name of its own; a section in a list has parts.
    ['in a list', { deal_id: 'd', quantity: 1, tags: 'a,,b' }, ['tags: invalid must not be blank']],
    [
      'in sections',
      { deal_id: 'd', quantity: 1, places: [{}, 5] },
      ['places.0.city: missing_field is missing', 'places.1: invalid must be an object'],
    ],
  ])('%s', (_, given, faults) => {
    expect(entries(() => read(schema, given, 'purchase'))).toEqual(faults);
  });

  it('C3: names an unknown parameter if the schema allows none', () => {
    expect(entries(() => read(z.strictObject({ a: text('line') }), { a: 'x', b: 1, c: 2 }, 'deal'))).toEqual([
      'b: invalid is not an attribute',
      'c: invalid is not an attribute',
    ]);
  });

  it('leaves out what the schema does not name', () => {
    expect(read(schema, { deal_id: 'd', quantity: '2', more: 1 }, 'purchase')).toEqual({ deal_id: 'd', quantity: 2 });
  });
});

describe('A10 4.1: lists', () => {
  it.each<readonly [object, unknown]>([
    [{}, { count: false, page: 1, perPage: 100 }],
    [
      { page: '3', per_page: 1000 },
      { count: false, page: 3, perPage: 1_000 },
    ],
    // With a count, the others are ignored.
    [
      { count: 'true', page: '3', per_page: 1000 },
      { count: true, page: 1, perPage: 100 },
    ],
    [{ page: 0 }, ['page: invalid must be an integer of at least 1']],
    [{ page: 1.5 }, ['page: invalid must be an integer of at least 1']],
    [
      { count: 'x', page: 0, per_page: 0 },
      [
        'count: invalid must be true or false',
        'page: invalid must be an integer of at least 1',
        'per_page: invalid must be an integer from 1 to 1000',
      ],
    ],
    [{ per_page: 0 }, ['per_page: invalid must be an integer from 1 to 1000']],
    [{ per_page: '1001' }, ['per_page: invalid must be an integer from 1 to 1000']],
    [{ count: 'maybe' }, ['count: invalid must be true or false']],
  ])('%j', (given, expected) => {
    expect(entries(() => pagingOf(given as Record<string, unknown>, 'purchase'))).toEqual(expected);
  });
});
