import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import { defineView, places, text, value, type Place } from '#kernel';
import { RowTables } from './row-tables.js';
import { schemaOf } from './schema.js';
import { Statements } from './statements.js';

interface Offer {
  readonly title: string | null;
  readonly units: number | null;
  readonly open: boolean;
  readonly tags: string | readonly string[];
  readonly places: readonly Place[];
}

const view = defineView<Offer, never, 'title' | 'words' | 'units' | 'open' | 'tags' | 'places'>({
  name: 'offers',
  version: 1,
  key: () => [],
  on: {},
  fields: {
    title: value((row) => row.title),
    words: text((row) => row.title),
    units: value((row) => row.units),
    open: value((row) => row.open),
    tags: value((row) => row.tags),
    places: places((row) => row.places),
  },
  indexes: [['title'], ['units']],
});

const BOSTON = { latitude: 42.36, longitude: -71.06 };
const SALEM = { latitude: 42.52, longitude: -70.9 };
const offer: Offer = { title: 'Tea for Two', units: 5, open: true, tags: 'spa', places: [BOSTON] };

/** The tables with one row, which the store has loaded. */
function tablesWith(row: Offer): { readonly database: DatabaseSync; readonly tables: RowTables } {
  const schema = schemaOf(view);
  const database = new DatabaseSync(':memory:');
  for (const sql of [schema.tables, ...schema.indexes]) database.exec(sql);
  database.exec(`INSERT INTO meta VALUES ('log', 'offers', 1, '', '[]', NULL, NULL, 0)`);
  const tables = new RowTables(new Statements(database), schema);
  tables.change({ key: 'a', row, position: 1n });
  return { database, tables };
}

function contentOf(database: DatabaseSync): readonly unknown[] {
  return ['rows', 'many', 'places', 'meta'].map((table) => database.prepare(`SELECT * FROM ${table}`).all());
}

describe('a change that names the stored row', () => {
  it.each<[string, Offer, Offer]>([
    ['nothing', offer, { ...offer }],
    ['a number', offer, { ...offer, units: 4 }],
    ['a number to null', offer, { ...offer, units: null }],
    ['null to a number', { ...offer, units: null }, offer],
    ['a boolean', offer, { ...offer, open: false }],
    ['a text', offer, { ...offer, title: 'COFFEE for Two' }],
    ['a text to null', offer, { ...offer, title: null }],
    ['several fields', offer, { ...offer, title: 'Spa', units: 0, open: false, tags: 'x' }],
    ['a value to a list', offer, { ...offer, tags: ['a', 'b'] }],
    ['a list to another one', { ...offer, tags: ['a', 'b'] }, { ...offer, tags: ['b'] }],
    ['a list to a value', { ...offer, tags: ['a', 'b'] }, offer],
    ['a place', offer, { ...offer, places: [SALEM] }],
    ['one place more', offer, { ...offer, places: [BOSTON, SALEM] }],
    ['no places left', offer, { ...offer, places: [] }],
    ['units beside a list', { ...offer, tags: ['a', 'b'] }, { ...offer, tags: ['a', 'b'], units: 3 }],
  ])('changes %s as one that does not', (_, before, row) => {
    const [told, untold] = [tablesWith(before), tablesWith(before)];
    told.tables.change({ key: 'a', row, position: 2n, before: JSON.parse(JSON.stringify(before)) as Offer });
    untold.tables.change({ key: 'a', row, position: 2n });
    expect(contentOf(told.database)).toEqual(contentOf(untold.database));
    expect(told.tables.load(['a'])).toEqual([{ key: 'a', row, position: 2n }]);
  });

  it('is ignored if it is older than the stored row', () => {
    const { database, tables } = tablesWith(offer);
    const content = contentOf(database);
    tables.change({ key: 'a', row: { ...offer, units: 1 }, position: 0n, before: offer });
    expect(contentOf(database)).toEqual(content);
  });

  it('writes no column that stays the same, and so none of its indexes', () => {
    const { database, tables } = tablesWith(offer);
    // SQLite fires it for each update that names the column.
    database.exec(
      `CREATE TRIGGER title_written AFTER UPDATE OF f_title ON rows BEGIN SELECT raise(ABORT, 'writes the title'); END`,
    );
    tables.change({ key: 'a', row: { ...offer, units: 1 }, position: 2n, before: offer });
    expect(() => tables.change({ key: 'a', row: { ...offer, units: 0 }, position: 3n })).toThrow('writes the title');
  });
});
