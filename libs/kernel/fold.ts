import type { EventBody } from './event.js';

/** The row after an event; undefined deletes the row. */
export type RowAfter<Row, E extends EventBody> = (row: Row | undefined, event: E, key: string) => Row | undefined;

/**
 * What each event type of a union makes of a row. The table must be total: a missing type does not compile. `unchanged`
 * leaves the row as it is. A view and the answers of commands use the same table, so they agree.
 */
export type Fold<Row, E extends EventBody> = {
  readonly [T in E['type']]: RowAfter<Row, Extract<E, { readonly type: T }>>;
};

/** The entry of an event type that changes nothing: such events are not delivered to the view. */
export function unchanged<Row>(row: Row): Row {
  return row;
}

/**
 * The row after an event, by the table.
 * @param key of the row: an event may change several
 */
export function rowAfter<Row, E extends EventBody>(
  fold: Fold<Row, E>,
  row: Row | undefined,
  event: E,
  key: string,
): Row | undefined {
  const after = fold[event.type as E['type']] as RowAfter<Row, E>;
  return after(row, event, key);
}

/**
 * What an event makes of a row. `Fixed` are the fields that no later event changes. Every other field must be given: a new
 * field does not compile until each such event says what becomes of it.
 */
export function changing<Row extends object, Fixed extends keyof Row>(): (row: Row, changes: Omit<Row, Fixed>) => Row {
  return (row, changes) => ({ ...row, ...changes });
}

/** The event types that change a row. */
export function typesOf(fold: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  return new Set(Object.keys(fold).filter((type) => fold[type] !== unchanged));
}
