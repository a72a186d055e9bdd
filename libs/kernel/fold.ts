import type { EventBody } from './event.js';

/** The row after an event; undefined: there is none any more. */
export type RowAfter<Row, E extends EventBody> = (row: Row | undefined, event: E, key: string) => Row | undefined;

/**
 * What each event type of a union makes of a row. The table is total: a type without an entry does not compile. What leaves
 * the row as it is says `unchanged`. A view and the answers of commands use one table, so that both tell the same.
 */
export type Fold<Row, E extends EventBody> = {
  readonly [T in E['type']]: RowAfter<Row, Extract<E, { readonly type: T }>>;
};

/** The entry of an event type that changes nothing: a view does not ask for such events. */
export function unchanged<Row>(row: Row): Row {
  return row;
}

/**
 * The row after an event, as the table has it.
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

/** The event types that change a row. */
export function typesOf(fold: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  return new Set(Object.keys(fold).filter((type) => fold[type] !== unchanged));
}
