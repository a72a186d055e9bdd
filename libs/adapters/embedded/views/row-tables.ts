import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { foldText, type Place, type Position, type Scalar } from '#kernel';
import type { RowChange, StoredRow } from '#eventsourcing/ports';
import { cellOf } from './cells.js';
import type { Column, Schema } from './schema.js';
import { toSql } from './scalars.js';
import type { Statements } from './statements.js';

/** A stored row. */
interface RowRecord {
  readonly key: string;
  readonly position: bigint;
  readonly row: string;
}

/** The tables of one generation for the writer. The caller holds the transaction. */
export class RowTables {
  private readonly upsert: string;
  private readonly insertPlace: string;
  private readonly byKeys: StatementSync;
  /** The fields whose values are in the table `many`. */
  private many: Set<string>;

  constructor(
    private readonly statements: Statements,
    private readonly schema: Schema,
  ) {
    const columns = ['position', ...schema.columns.map(({ sql }) => sql), 'row'];
    this.upsert =
      `INSERT INTO rows (key, ${columns.join(', ')}) VALUES (?, ${columns.map(() => '?').join(', ')})` +
      ` ON CONFLICT (key) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}` +
      ` WHERE excluded.position >= rows.position`;
    const near = schema.near.length === 0 ? [] : ['cell', 'key', ...schema.near.map(({ sql }) => sql)];
    const ofPlace = ['row', 'field', 'nth', 'latitude', 'longitude', ...near];
    this.insertPlace = `INSERT INTO places (${ofPlace.join(', ')}) VALUES (${ofPlace.map(() => '?').join(', ')})`;
    this.byKeys = this.statements.of(
      'SELECT key, position, row FROM rows WHERE key IN (SELECT value FROM json_each(?))',
    );
    this.many = this.storedMany();
  }

  /** The existing rows with these keys. One statement for all, because most keys of a batch are new. */
  load(keys: readonly string[]): StoredRow[] {
    const found = this.byKeys.all(JSON.stringify(keys)) as unknown as RowRecord[];
    return found.map(({ key, position, row }) => ({ key, row: JSON.parse(row) as object, position }));
  }

  change({ key, row, position, before }: RowChange): void {
    if (row === undefined) this.remove(key, position);
    else if (before === undefined || !this.update(key, row, position, before)) this.put(key, row, position);
  }

  /** Call it after a rollback: the transaction may have moved a field to the table `many`. */
  forget(): void {
    this.many = this.storedMany();
  }

  /**
   * Writes only the columns that differ: SQLite writes an index anew if an update names one of its columns, also with the same
   * value.
   * @returns whether that is possible: not if a field has a list, or places changed
   */
  private update(key: string, row: object, position: Position, before: object): boolean {
    if (this.many.size > 0) return false;
    if (this.schema.places.some((field) => !areSame(field.of(row), field.of(before)))) return false;
    if (this.schema.near.some((field) => field.of(row) !== field.of(before))) return false;
    let sets = 'position = ?';
    const bound: SQLInputValue[] = [position];
    for (const field of this.schema.columns) {
      const value = field.of(row);
      if (Array.isArray(value)) return false;
      if (value === field.of(before)) continue;
      sets += `, ${field.sql} = ?`;
      bound.push(field.kind === 'text' ? folded(value as string | null) : toSql(value as Scalar));
    }
    const update = this.statements.of(`UPDATE rows SET ${sets}, row = ? WHERE key = ? AND position <= ?`);
    update.run(...bound, JSON.stringify(row), key, position);
    return true;
  }

  private put(key: string, row: object, position: Position): void {
    const lists: { readonly field: string; readonly values: readonly Scalar[] }[] = [];
    const columns = this.schema.columns.map((field): SQLInputValue => {
      if (field.kind === 'text') return folded(field.of(row));
      const value = field.of(row);
      if (Array.isArray(value) && !this.many.has(field.name)) this.becomesMany(field.name, field.sql);
      if (this.many.has(field.name)) lists.push({ field: field.name, values: listed(value) });
      return listed(value) === value ? null : toSql(value as Scalar);
    });
    const bound = [key, position, ...columns, JSON.stringify(row)];
    if (!this.hasSides) {
      this.statements.of(this.upsert).run(...bound);
      return;
    }
    const written = this.statements.of(`${this.upsert} RETURNING id`).get(...bound) as { id: bigint } | undefined;
    if (written === undefined) return;
    this.clearSides(written.id);
    for (const { field, values } of lists) {
      const insert = this.statements.of('INSERT INTO many (row, field, nth, value) VALUES (?, ?, ?, ?)');
      values.forEach((value, nth) => insert.run(written.id, field, nth, toSql(value)));
    }
    const ordered = this.schema.near.map((field) => sqlOf(field, row));
    for (const field of this.schema.places) {
      const insert = this.statements.of(this.insertPlace);
      field.of(row).forEach((place, nth) => {
        const near = ordered.length === 0 ? [] : [cellOf(place), key, ...ordered];
        insert.run(written.id, field.name, nth, place.latitude, place.longitude, ...near);
      });
    }
  }

  private remove(key: string, position: Position): void {
    const removed = this.statements
      .of('DELETE FROM rows WHERE key = ? AND position <= ? RETURNING id')
      .get(key, position) as { id: bigint } | undefined;
    if (removed !== undefined && this.hasSides) this.clearSides(removed.id);
  }

  private get hasSides(): boolean {
    return this.many.size > 0 || this.schema.places.length > 0;
  }

  private clearSides(id: bigint): void {
    if (this.many.size > 0) this.statements.of('DELETE FROM many WHERE row = ?').run(id);
    if (this.schema.places.length > 0) this.statements.of('DELETE FROM places WHERE row = ?').run(id);
  }

  /**
   * Moves a field to the table `many` when it returns its first list: from now on queries use that table, so the values of
   * all rows go there.
   */
  private becomesMany(field: string, column: string): void {
    this.statements.of(`INSERT INTO many (row, field, nth, value) SELECT id, ?, 0, ${column} FROM rows`).run(field);
    this.many.add(field);
    this.statements.of('UPDATE meta SET many = ?').run(JSON.stringify([...this.many]));
  }

  private storedMany(): Set<string> {
    const { many } = this.statements.of('SELECT many FROM meta').get() as { many: string };
    return new Set(JSON.parse(many) as string[]);
  }
}

function areSame(some: readonly Place[], others: readonly Place[]): boolean {
  if (some === others) return true;
  const isSame = ({ latitude, longitude }: Place, nth: number): boolean => {
    const other = others[nth];
    return latitude === other?.latitude && longitude === other.longitude;
  };
  return some.length === others.length && some.every(isSame);
}

/** The value of a column; null for a list, by which no order sorts. */
function sqlOf(field: Column, row: object): SQLInputValue {
  const value = field.of(row);
  if (field.kind === 'text') return folded(value as string | null);
  return Array.isArray(value) ? null : toSql(value as Scalar);
}

function folded(text: string | null): string | null {
  return text === null ? null : foldText(text);
}

function listed(value: Scalar | readonly Scalar[]): readonly Scalar[] {
  return Array.isArray(value) ? (value as readonly Scalar[]) : [value as Scalar];
}
