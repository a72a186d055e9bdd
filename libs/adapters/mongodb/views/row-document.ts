import { foldText, type Place, type Position, type Scalar, type View } from '#kernel';
import type { RowChange, StoredRow } from '#eventsourcing';

interface Point {
  readonly type: 'Point';
  /** Longitude first. */
  readonly coordinates: readonly [number, number];
}

/** The values that queries compare, by field name. */
export type FieldValue = Scalar | readonly Scalar[] | readonly Point[];

/**
 * A stored row. Its JSON text is stored, so that it comes back byte for byte, whatever its keys and their order. A removed
 * row leaves a document without `row` and `f`, the tombstone: its position identifies an older change that comes late.
 */
export interface RowDocument {
  readonly _id: string;
  readonly position: Position;
  readonly row?: string;
  readonly f?: Readonly<Record<string, FieldValue>>;
}

/** Is true for existing rows. A tombstone has no fields and would otherwise meet `ne` and null. */
export const PRESENT = { row: { $exists: true } } as const;

/** Whether a document is an existing row. */
export function isPresent({ row }: RowDocument): boolean {
  return row !== undefined;
}

export const pathOf = (field: string): string => `f.${field}`;

export function documentOf(view: View, { key, row, position }: RowChange): RowDocument {
  if (row === undefined) return { _id: key, position };
  const f: Record<string, FieldValue> = {};
  for (const [name, field] of Object.entries(view.fields)) {
    if (field.kind === 'places') f[name] = field.of(row).map(pointOf);
    else if (field.kind === 'value') f[name] = field.of(row);
    else f[name] = folded(field.of(row));
  }
  return { _id: key, position, row: JSON.stringify(row), f };
}

export function storedRow<Row extends object>({ _id, position, row }: RowDocument): StoredRow<Row> {
  return { key: _id, row: JSON.parse(row ?? 'null') as Row, position };
}

/**
 * Identifies rows that were written with other fields, or by an adapter with another form of rows (which raises the number
 * in front).
 */
export function layoutOf(view: View): string {
  const fields = Object.entries(view.fields).map(([name, { kind }]) => [name, kind]);
  return JSON.stringify([1, fields, view.indexes, ...(view.orders.length > 0 ? [view.orders] : [])]);
}

function pointOf({ latitude, longitude }: Place): Point {
  return { type: 'Point', coordinates: [longitude, latitude] };
}

function folded(text: string | null): string | null {
  return text === null ? null : foldText(text);
}
