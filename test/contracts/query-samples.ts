import fc from 'fast-check';
import { defineView, type Place, places, type Scalar, text, value, type View } from '#kernel';
import type { Query, Where } from '#eventsourcing';

/** A row of the view that the suite queries: every kind of field, with every kind of value. */
export interface Sample {
  readonly number: number | null;
  readonly anything: Scalar;
  /** A scalar in one row and a list in another. */
  readonly tags: Scalar | readonly Scalar[];
  readonly title: string | null;
  readonly at: readonly Place[];
}

/** A title that makes the view's function throw. */
export const UNREADABLE = 'unreadable';

export const samples: View<Sample> = defineView<Sample, never, string>({
  name: 'samples',
  version: 1,
  key: () => [],
  on: {},
  fields: {
    number: value((row) => row.number),
    anything: value((row) => row.anything),
    tags: value((row) => row.tags),
    title: text((row) => {
      if (row.title === UNREADABLE) throw new Error('a field that fails');
      return row.title;
    }),
    at: places((row) => row.at),
  },
  indexes: [['number', 'anything'], ['anything']],
  orders: [
    { by: [{ descending: 'number' }], covers: ['anything'] },
    { by: ['anything', { descending: 'number' }], covers: [] },
  ],
});

// Few values, so that rows match conditions; among strings, those that UTF-16 units and code points sort differently.
const strings = fc.constantFrom(
  '',
  'a',
  'A',
  'b',
  'ab',
  'é',
  'ß',
  '0',
  '1',
  "o'b",
  '%',
  '\uE000',
  '\uFFFD',
  '\u{1F600}',
);
const numbers = fc.constantFrom(-1, 0, 0.5, 1, 2, 3, 1e15, 1_700_000_000_123);
const scalars: fc.Arbitrary<Scalar> = fc.oneof(strings, numbers, fc.boolean(), fc.constant(null));
const words = fc.constantFrom(
  'Deal',
  'STRASSE',
  'straße',
  'Σ',
  'ς',
  'Café',
  'cafe\u0301',
  '50%',
  'a_b',
  '(.*)',
  '😀',
  ' ',
);
const titles = fc.array(words, { maxLength: 4 }).map((parts) => parts.join(''));
// Four decimals (11 m) and no distance below 5 m: nothing lies so close to a circle's edge that rounding decides.
const decimals = (most: number): fc.Arbitrary<number> =>
  fc.integer({ min: -most * 10_000, max: most * 10_000 }).map((count) => count / 10_000 + 0);
const degrees = (most: number): fc.Arbitrary<number> => fc.oneof(fc.constantFrom(-most, most, 0), decimals(most));
const latitudes = degrees(90);
const longitudes = degrees(180);
const miles = fc.oneof(
  fc.double({ min: 0.003, max: 500, noNaN: true }),
  fc.double({ min: 500, max: 13_000, noNaN: true }),
);

// Rows are JSON, which has no -0.
export const sampleRows: fc.Arbitrary<Sample> = fc.record({
  number: fc.option(numbers),
  anything: scalars,
  tags: fc.oneof(scalars, fc.array(scalars, { maxLength: 3 })),
  title: fc.option(titles, { freq: 8 }),
  at: fc.array(fc.record({ latitude: latitudes, longitude: longitudes }), { maxLength: 3 }),
});

const fields = fc.constantFrom('number', 'anything', 'tags');
const near = fc.record({
  op: fc.constant('near' as const),
  field: fc.constant('at'),
  latitude: latitudes,
  longitude: longitudes,
  miles,
});
const others: fc.Arbitrary<Where> = fc.oneof(
  fc.record({ op: fc.constantFrom('eq' as const, 'ne' as const), field: fields, value: scalars }),
  fc.record({ op: fc.constant('in' as const), field: fields, values: fc.array(scalars, { maxLength: 5 }) }),
  fc.record({
    op: fc.constantFrom('lt' as const, 'lte' as const, 'gt' as const, 'gte' as const),
    field: fields,
    value: fc.oneof(strings, numbers),
  }),
  fc.record({ op: fc.constant('keyAfter' as const), key: fc.constantFrom('', 'k', 'k5', 'k7a', 'kz') }),
  fc.record({ op: fc.constant('contains' as const), field: fc.constant('title'), part: titles }),
);

/** Conditions of all kinds except those that the store lacks. */
export function conditions(lacks: readonly string[] = []): fc.Arbitrary<Where> {
  const simple = lacks.includes('near') ? others : fc.oneof({ arbitrary: others, weight: 4 }, near);
  return fc.letrec<{ where: Where }>((tie) => ({
    where: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      simple,
      fc.record({ op: fc.constantFrom('and' as const, 'or' as const), of: fc.array(tie('where'), { maxLength: 3 }) }),
      fc.record({ op: fc.constant('not' as const), of: tie('where') }),
    ),
  })).where;
}

const orders = fc.record({ field: fc.constantFrom('number', 'anything', 'key'), descending: fc.boolean() });

export function queries(lacks: readonly string[] = []): fc.Arbitrary<Query> {
  return fc.record({
    where: conditions(lacks),
    sort: fc.uniqueArray(orders, { maxLength: 3, selector: ({ field }) => field }),
    page: fc.integer({ min: 1, max: 4 }),
    perPage: fc.constantFrom(1, 7, 50, 1000),
    ahead: fc.constantFrom(0, 1),
  });
}
