import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Position } from '#kernel';
import {
  and,
  contains,
  eq,
  everything,
  gt,
  gte,
  isTooCostly,
  lt,
  lte,
  ne,
  not,
  oneOf,
  or,
  type Query,
  type RowChange,
  RowVersions,
  type StoredRow,
  type ViewReader,
  type ViewReaders,
  type ViewStore,
  type ViewWriter,
  type Where,
} from '#eventsourcing';
import { QueryReference } from './query-reference.js';
import { conditions, queries, type Sample, sampleRows, samples, UNREADABLE } from './query-samples.js';

const LOG = 'log-one';
const nothing: Sample = { number: null, anything: null, tags: null, title: null, at: [] };
/** More values than SQLite accepts in one statement. */
const MANY = Array.from({ length: 40_000 }, (_, n) => (n % 2 === 0 ? n + 10 : `v${n}`));
const near = (latitude: number, longitude: number, miles: number): Where => ({
  op: 'near',
  field: 'at',
  latitude,
  longitude,
  miles,
});

/**
 * The query language: each operator in a case of its own where its edges matter, then all of them at random against the
 * reference, except those that the store `lacks`.
 */
export function viewQueryContract(
  subject: () => { readonly store: ViewStore; readonly readers: ViewReaders },
  lacks: readonly string[] = [],
): void {
  const [anyCondition, anyQuery] = [conditions(lacks), queries(lacks)];
  // A server that lacks an operator is a stand-in, and slow: it does not find rows in other ways, either.
  const runs = lacks.length === 0 ? 400 : 100;
  const limits = lacks.length === 0 ? [30, 100_000] : [];

  describe('queries', () => {
    let reader: ViewReader<Sample>;
    let writer: ViewWriter;
    let generation: number;
    let position: Position;

    beforeEach(async () => {
      ({ number: generation, writer } = await subject().store.begin(samples, LOG));
      reader = subject().readers.reader(samples);
      position = 0n;
    });

    const write = async (rows: Readonly<Record<string, Partial<Sample> | undefined>>): Promise<void> => {
      const changes = Object.entries(rows).map(([key, row]): RowChange => {
        position += 1n;
        return { key, row: row && { ...nothing, ...row }, position };
      });
      await writer.write(changes, { log: LOG, position, event: 'event' });
      subject().readers.refresh();
    };

    const live = async (rows: Readonly<Record<string, Partial<Sample> | undefined>>): Promise<void> => {
      await write(rows);
      await writer.finish();
      await subject().store.promote(samples, generation);
      subject().readers.refresh();
    };

    /** What a query finds: its versions are those of the same rows. */
    const found = async (query: Query): Promise<readonly StoredRow<Sample>[]> => {
      const rows = await reader.find(query);
      const versions = await reader.versions(query);
      expect(versions.rows).toEqual(rows.map(({ key, position: at }) => ({ key, position: at })));
      const { keys, positions } = RowVersions.of(versions.rows);
      expect([versions.keys, versions.positions]).toEqual([keys, positions]);
      return rows;
    };

    const matching = async (where: Where): Promise<string> => {
      const rows = await found({ where, sort: [], page: 1, perPage: 100 });
      expect(await reader.count(where)).toBe(rows.length);
      return rows.map(({ key }) => key).join(' ');
    };

    // Types never mix: true is not 1, '1' is not 1, and only null equals null.
    it.each<[string, Where, string]>([
      ['eq number', eq('anything', 1), 'one'],
      ['eq text', eq('anything', '1'), 'text'],
      ['eq true', eq('anything', true), 'true'],
      ['eq false', eq('anything', false), 'false'],
      ['eq null', eq('anything', null), 'null'],
      ['ne', ne('anything', 1), 'false null text true zero'],
      ['ne true', ne('anything', true), 'false null one text zero'],
      ['ne null', ne('anything', null), 'false one text true zero'],
      ['in', oneOf('anything', [0, true, '1', 7, 8]), 'text true zero'],
      ['in with null', oneOf('anything', [null, false]), 'false null'],
      ['in of nothing', oneOf('anything', []), ''],
      [
        'in of more than one statement can have',
        oneOf('anything', [0, true, '1', null, ...MANY]),
        'null text true zero',
      ],
      ['lt number', lt('anything', 1), 'zero'],
      ['lte number', lte('anything', 1), 'one zero'],
      ['gt number', gt('anything', 0), 'one'],
      ['gte number', gte('anything', 0), 'one zero'],
      ['lt text', lt('anything', '2'), 'text'],
      ['lte text', lte('anything', ''), ''],
      ['gt text', gt('anything', ''), 'text'],
      ['gte text', gte('anything', '1'), 'text'],
      ['and', and(gte('anything', 0), ne('anything', 1)), 'zero'],
      ['or', or(eq('anything', 0), eq('anything', null)), 'null zero'],
      ['not equal', not(eq('anything', 1)), 'false null text true zero'],
      ['not in a list', not(oneOf('anything', [0, true, 'x'])), 'false null one text'],
      [
        'not in a longer list than one statement can have',
        not(oneOf('anything', [0, true, ...MANY])),
        'false null one text',
      ],
      ['not in a range', not(gt('anything', 0)), 'false null text true zero'],
      ['not two things together', not(and(gte('anything', 0), ne('anything', 1))), 'false null one text true'],
      ['not not', not(not(eq('anything', null))), 'null'],
      ['not everything', not(and()), ''],
      ['and of nothing', and(), 'false null one text true zero'],
      ['or of nothing', or(), ''],
    ])('%s', async (_, where, keys) => {
      await live({
        one: { anything: 1 },
        text: { anything: '1' },
        true: { anything: true },
        false: { anything: false },
        zero: { anything: 0 },
        null: {},
      });
      expect(await matching(where)).toBe(keys);
    });

    // A condition holds when one of the values meets it; ne, when no value equals. An empty list has no value, not even null.
    it.each<[string, Where, string]>([
      ['eq', eq('tags', 'a'), 'list scalar'],
      ['eq null', eq('tags', null), 'null nulls'],
      ['ne', ne('tags', 'a'), 'empty null nulls other'],
      ['ne null', ne('tags', null), 'empty list other scalar'],
      ['in', oneOf('tags', [1, 'c']), 'list nulls other'],
      ['a range', gt('tags', 'a'), 'list other'],
      ['not a range', not(gt('tags', 'a')), 'empty null nulls scalar'],
      ['not in', not(oneOf('tags', [1, 'c'])), 'empty null scalar'],
      ['two ranges, each met by one of the values', and(lt('tags', 'b'), gt('tags', 'b')), 'list'],
    ])('many values: %s', async (_, where, keys) => {
      await live({
        scalar: { tags: 'a' },
        null: { tags: null },
        list: { tags: ['a', 'c', 'a'] },
        other: { tags: ['c'] },
        nulls: { tags: [null, 1] },
        empty: { tags: [] },
      });
      expect(await matching(where)).toBe(keys);
    });

    // A field may return its first list long after the view was built: older rows must still answer.
    it('many values: a first list in a live view, and back to a scalar', async () => {
      await live({ a: { tags: 'x' }, b: { tags: null } });
      expect(await matching(eq('tags', 'x'))).toBe('a');
      await write({ c: { tags: ['x', 'y'] } });
      expect(await matching(eq('tags', 'x'))).toBe('a c');
      expect(await matching(eq('tags', null))).toBe('b');
      await write({ c: { tags: 'y' }, a: { tags: ['z'] } });
      expect(await matching(eq('tags', 'x'))).toBe('');
      expect(await matching(eq('tags', 'y'))).toBe('c');
      await write({ a: undefined });
      expect(await matching(eq('tags', 'z'))).toBe('');
      expect(await matching(ne('tags', 'q'))).toBe('b c');
    });

    // A failed write may have begun to change the store's own records; that change must not remain.
    it('many values: a first list in a write that fails', async () => {
      await live({ a: { tags: 'x' } });
      await expect(write({ b: { tags: ['x'] }, c: { title: UNREADABLE } })).rejects.toThrow('a field that fails');
      await write({ d: { tags: 'x' } });
      expect(await matching(eq('tags', 'x'))).toMatch(/^a (b )?d$/);
      await write({ e: { tags: ['x', 'y'] } });
      expect(await matching(oneOf('tags', ['x']))).toMatch(/^a (b )?d e$/);
    });

    // People search by part of a name, in upper or lower case; pattern characters have no special meaning.
    it.each<[string, string, string]>([
      ['case', 'CRÈME', 'creme'],
      ['a part', 'rûl', 'creme'],
      ['accents', 'creme bru', 'creme'],
      ['sharp s', 'STRASSE', 'street'],
      ['wildcards of SQL', '_%', ''],
      ['a percent sign', '50%', 'percent'],
      ['a pattern', '.*', ''],
      ['the empty part', '', 'creme percent street'],
    ])('contains: %s', async (_, part, keys) => {
      await live({
        creme: { title: 'Crème brûlée' },
        street: { title: 'Hauptstraße' },
        percent: { title: '50% off' },
        untitled: {},
      });
      expect(await matching(contains('title', part))).toBe(keys);
    });

    // Boxes of degrees are wrong at the poles, where all longitudes meet, and at the antimeridian, where they wrap.
    (lacks.includes('near') ? it.skip : it).each<[string, Where, string]>([
      ['around a town', near(41.9, -87.6, 60), 'chicago'],
      ['one of several places', near(60, 25, 100), 'spread'],
      ['over the north pole', near(89.9, 0, 50), 'pole'],
      ['over the antimeridian to the east', near(-17, 179.9, 60), 'east spread'],
      ['over the antimeridian to the west', near(-17, -179.9, 60), 'east spread'],
      ['on the antimeridian, named from the other side', near(0, 180, 1), 'line'],
      ['half the earth around a pole', near(90, 0, 6300), 'chicago line pole spread'],
      ['the whole earth', near(0, 0, 13_000), 'chicago east line pole spread'],
      ['no distance', near(42, -88, 0), 'chicago'],
      ['less than no distance', near(42, -88, -1), ''],
    ])('near: %s', async (_, where, keys) => {
      await live({
        chicago: { at: [{ latitude: 42, longitude: -88 }] },
        east: { at: [{ latitude: -17, longitude: -179.6 }] },
        spread: {
          at: [
            { latitude: -17, longitude: 179.6 },
            { latitude: 60.2, longitude: 24.9 },
          ],
        },
        pole: { at: [{ latitude: 89.9, longitude: 180 }] },
        line: { at: [{ latitude: 0, longitude: -180 }] },
        nowhere: {},
      });
      expect(await matching(where)).toBe(keys);
    });

    // One order over all types, the same in every store; ties by key, so that pages neither overlap nor skip a row.
    it('sorts null, numbers, strings by code point, false, true; also in reverse', async () => {
      await live({
        h: { anything: true },
        g: { anything: false },
        f: { anything: '\u{1F600}' },
        e: { anything: '\uFFFD' },
        d: { anything: 'a' },
        c: { anything: 10 },
        b: { anything: 9 },
        a: {},
        a2: {},
      });
      const sorted = async (descending: boolean): Promise<string> => {
        const rows = await found({
          where: everything,
          sort: [{ field: 'anything', descending }],
          page: 1,
          perPage: 20,
        });
        return rows.map(({ key }) => key).join(' ');
      };
      expect(await sorted(false)).toBe('a a2 b c d e f g h');
      expect(await sorted(true)).toBe('h g f e d c b a a2');
    });

    it('returns pages without overlaps or gaps, even when all rows tie', async () => {
      const keys = Array.from({ length: 23 }, (_, index) => `k${String(index).padStart(2, '0')}`);
      await live(Object.fromEntries(keys.toReversed().map((key) => [key, { number: 1 }])));
      const seen: string[] = [];
      for (const page of [1, 2, 3, 4]) {
        const sort = [{ field: 'number', descending: true }];
        const rows = await found({ where: eq('number', 1), sort, page, perPage: 10 });
        seen.push(...rows.map(({ key }) => key));
      }
      expect(seen).toEqual(keys);
    });

    it('finds the same with a limit of rows to examine that suffices', async () => {
      await live(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, { number: index }])));
      const page = { where: gte('number', 3), sort: [{ field: 'anything', descending: true }], page: 1, perPage: 5 };
      expect(await found({ ...page, examine: 12 })).toEqual(await found(page));
      expect(await reader.count(page.where, 12)).toBe(9);
    });

    it('refuses a page whose rows hold more characters than the query allows', async () => {
      await live(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, { number: index }])));
      const page = { where: everything, sort: [], page: 1, perPage: 10 };
      const rows = await reader.find(page);
      const size = rows.reduce((sum, { row }) => sum + JSON.stringify(row).length, 0);
      expect(await reader.find({ ...page, most: size })).toEqual(rows);
      const refused = { code: 'page_too_large', message: expect.stringContaining(`more than ${size - 1} characters`) };
      await expect(reader.find({ ...page, most: size - 1 })).rejects.toMatchObject(refused);
      await expect(reader.find({ ...page, perPage: 1_000, most: size })).rejects.toMatchObject({
        code: 'page_too_large',
      });
      // Versions hold no texts.
      expect((await reader.versions({ ...page, most: 1 })).rows).toHaveLength(10);
      // A reader goes on after a refusal.
      expect(await reader.find(page)).toEqual(rows);
    });

    // Work lists ask for the next deadline: rows without one must not hide it, and "no rows" differs from "no deadline".
    it('min: returns the smallest value that is not null, over the rows that match', async () => {
      await live({
        a: { number: 3, tags: [5, 'x'], anything: true },
        b: { number: 2, tags: [9, 2], anything: false },
        c: { number: null, tags: null },
      });
      expect(await reader.min('number', everything)).toBe(2);
      expect(await reader.min('number', eq('anything', true))).toBe(3);
      expect(await reader.min('anything', gt('number', 2))).toBe(true);
      expect(await reader.min('anything', everything)).toBe(false);
      expect(await reader.min('tags', everything)).toBe(2);
      expect(await reader.min('tags', gt('number', 2))).toBe(5);
      expect(await reader.min('number', eq('number', null))).toBeNull();
      expect(await reader.min('tags', eq('number', null))).toBeNull();
      expect(await reader.min('number', eq('number', 7))).toBeUndefined();
      expect(await reader.min('tags', eq('number', 7))).toBeUndefined();
    });

    // Field names reach SQL and filter documents, so only declared names may pass. A query of the wrong kind is a mistake too.
    it.each(['missing', 'key', 'row', 'rowid', 'toString', '__proto__', 'number" OR 1 --', '$where'])(
      'refuses the undeclared field %j',
      async (field) => {
        await live({ a: {} });
        await expect(reader.count(eq(field, 1))).rejects.toBeInstanceOf(RangeError);
        await expect(reader.count(or(everything, and(oneOf(field, []))))).rejects.toBeInstanceOf(RangeError);
        await expect(reader.min(field, everything)).rejects.toBeInstanceOf(RangeError);
        if (field === 'key') return;
        const sort = [{ field, descending: false }];
        const query = { where: everything, sort, page: 1, perPage: 1 };
        await expect(reader.find(query)).rejects.toBeInstanceOf(RangeError);
        await expect(reader.versions(query)).rejects.toBeInstanceOf(RangeError);
      },
    );

    it.each<[string, Where]>([
      ['text by value', eq('title', 'a')],
      ['places by value', eq('at', 'a')],
      ['values by contains', contains('anything', 'a')],
      ['values by near', { ...near(0, 0, 1), field: 'number' } as Where],
    ])('refuses to query %s', async (_, where) => {
      await live({ a: {} });
      await expect(reader.count(where)).rejects.toBeInstanceOf(RangeError);
    });

    // A page or size of 0 means something else in every engine (MongoDB: no limit).
    it.each([
      [0, 1],
      [-1, 1],
      [1.5, 1],
      [1, 0],
      [1, -1],
    ])('refuses page %d of %d rows', async (page, perPage) => {
      await live({ a: {} });
      const query = { where: everything, sort: [], page, perPage };
      await expect(reader.find(query)).rejects.toBeInstanceOf(RangeError);
      await expect(reader.versions(query)).rejects.toBeInstanceOf(RangeError);
    });

    // This covers what no list of cases does. Rows are written in bulk and live, replaced and removed, so that the extra tables
    // are tested too. A failure prints the seed and the smallest failing query.
    it('answers random queries over random rows like the reference', async () => {
      const seed = 20_260_729;
      const rows = new Map<string, Sample>();
      const [first = [], second = []] = fc.sample(fc.array(sampleRows, { minLength: 300, maxLength: 300 }), {
        seed,
        numRuns: 2,
      });
      const keyed = (list: readonly Sample[], from: number): Record<string, Sample> =>
        Object.fromEntries(list.map((row, index) => [`k${(from + index).toString(36)}`, row]));
      await live(keyed(first, 0));
      const changed = { ...keyed(second, 150) };
      const removed = Object.fromEntries(
        Array.from({ length: 50 }, (_, index) => [`k${(index * 7).toString(36)}`, undefined]),
      );
      await write(changed);
      await write(removed);
      for (const [key, row] of Object.entries({ ...keyed(first, 0), ...changed })) rows.set(key, row);
      for (const key of Object.keys(removed)) rows.delete(key);
      const reference = new QueryReference(samples, rows);

      let rowsFound = 0;
      await fc.assert(
        fc.asyncProperty(anyQuery, async (query) => {
          const answer = await found(query);
          // With a limit, a store may find the rows in another way: in the order of an index, or by the conditions first.
          for (const examine of limits) {
            const limited = await reader.find({ ...query, examine }).catch((error: unknown) => {
              if (!isTooCostly(error)) throw error;
              return answer;
            });
            expect(limited).toEqual(answer);
          }
          const shown = (key: string, row: Sample | undefined): string => `${key} ${JSON.stringify(row)}`;
          const expected = reference.find(query).map((key) => shown(key, rows.get(key)));
          expect(answer.map(({ key, row }) => shown(key, row)).join('\n')).toBe(expected.join('\n'));
          rowsFound += answer.length;
        }),
        { seed, numRuns: runs },
      );
      await fc.assert(
        fc.asyncProperty(anyCondition, async (where) => {
          expect(await reader.count(where)).toBe(reference.count(where));
          for (const examine of limits.slice(1))
            expect(await reader.count(where, examine)).toBe(reference.count(where));
        }),
        { seed, numRuns: runs / 2 },
      );
      // Agreement on empty results would prove nothing.
      expect(rowsFound).toBeGreaterThan(5 * runs);
    }, 400_000);
  });
}
