import type { EventBody, Recorded } from './event.js';
import { typesOf, type Fold, type RowAfter } from './fold.js';
import type { Instant } from './instant.js';

/** A value that a query can compare. Instants are numbers. */
export type Scalar = string | number | boolean | null;

/** A place on earth, in degrees. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/**
 * A part of the row that queries may name. `value` is one scalar or a list (a condition holds if one element meets it);
 * `contains` searches `text` and ignores case; `near` searches `places`.
 */
export type Field<Row> =
  | { readonly kind: 'value'; of(row: Row): Scalar | readonly Scalar[] }
  | { readonly kind: 'text'; of(row: Row): string | null }
  | { readonly kind: 'places'; of(row: Row): readonly Place[] };

/**
 * An index in the order of a list, so that a page is read without sorting. It has the fields that the list's conditions name
 * too: then no row is read to test them. Name no field here that changes often, such as units: each change moves an entry.
 */
export interface ListOrder<F extends string> {
  /** First fields that conditions fix, then those of the order. */
  readonly by: readonly (F | { readonly descending: F })[];
  /** Further fields of the conditions, `value` or `text`. */
  readonly covers: readonly F[];
  /**
   * Whether it has the positions of the rows too: then the versions of a page are read from the index alone. Each change of a
   * row then changes its entry.
   */
  readonly coversPosition?: boolean;
  /** Whether it has only rows whose first field is not null: few rows have one, and lists always name a value. */
  readonly sparse?: boolean;
}

/**
 * An index of places in the order of a list: a page of what is near is read, without sorting, from the cells of the earth that
 * a circle touches. Name no field here that changes often: each change moves the entries of all places of the row.
 */
export interface NearOrder<F extends string> {
  /** A `places` field. */
  readonly near: F;
  /** The only field of the order. */
  readonly by: F | { readonly descending: F };
}

/** A field of an order, with its direction. */
export interface OrderField<F extends string> {
  readonly field: F;
  readonly descending: boolean;
}

/** A field as an order names it. */
export function orderField<F extends string>(by: F | { readonly descending: F }): OrderField<F> {
  return typeof by === 'string' ? { field: by, descending: false } : { field: by.descending, descending: true };
}

/** The fields of an order, each with its direction. */
export function fieldsOf<F extends string>({ by }: Pick<ListOrder<F>, 'by'>): readonly OrderField<F>[] {
  return by.map((each) => orderField(each));
}

/**
 * A read view: one row per key, folded from events by pure functions. It receives the event types that have an entry in
 * `on`. `F` are the names of its fields.
 */
export interface View<Row extends object = object, F extends string = string> {
  readonly name: string;
  /** Raise it with every change of the row or the fields. The projector builds a new version beside the old one. */
  readonly version: number;
  /** The keys of the rows that an event may change. */
  keys(event: Recorded): readonly string[];
  /** The row after the event; undefined removes it. */
  apply(row: Row | undefined, event: Recorded, key: string): Row | undefined;
  /** Every stored type name that changes this view. */
  readonly types: ReadonlySet<string>;
  readonly fields: Readonly<Record<F, Field<Row>>>;
  /** Lists of `value` fields that queries combine, in the order of the index. */
  readonly indexes: readonly (readonly F[])[];
  readonly orders: readonly ListOrder<F>[];
  readonly nearOrders: readonly NearOrder<F>[];
}

export interface ViewDefinition<Row extends object, E extends EventBody, F extends string> {
  readonly name: string;
  readonly version: number;
  readonly key: (event: Recorded<E>) => string | readonly string[];
  /** An entry for every type of the union. The view receives the types that are not `unchanged`. */
  readonly on: Fold<Row, Recorded<E>>;
  readonly fields?: Readonly<Record<F, Field<Row>>>;
  readonly indexes?: readonly (readonly F[])[];
  readonly orders?: readonly ListOrder<F>[];
  readonly nearOrders?: readonly NearOrder<F>[];
}

/** Defines a view. `F` are the names of its fields; queries of this view can name only those. */
export function defineView<Row extends object, E extends EventBody, F extends string = never>(
  definition: ViewDefinition<Row, E, F>,
): View<Row, F> {
  const on = definition.on as unknown as Readonly<Record<string, RowAfter<Row, Recorded> | undefined>>;
  const key = definition.key as (event: Recorded) => string | readonly string[];
  const fields = (definition.fields ?? {}) as Readonly<Record<F, Field<Row>>>;
  const orders = definition.orders ?? [];
  const nearOrders = definition.nearOrders ?? [];
  const ordered = orders.flatMap((order) => fieldsOf(order).map(({ field }) => field));
  const nearBy = nearOrders.map(({ by }) => orderField(by).field);
  for (const name of [...(definition.indexes ?? []).flat(), ...ordered, ...nearBy]) {
    if (!(name in fields) || fields[name].kind !== 'value') {
      throw new Error(`view ${definition.name}: the index names ${name}, which is not a value field`);
    }
  }
  for (const name of orders.flatMap(({ covers }) => covers)) {
    if (!(name in fields) || fields[name].kind === 'places')
      throw new Error(`view ${definition.name}: the order covers ${name}, which is neither a value nor a text field`);
  }
  for (const { near } of nearOrders) {
    if (!(near in fields) || fields[near].kind !== 'places')
      throw new Error(`view ${definition.name}: the order near ${near}, which is not a places field`);
  }
  return {
    name: definition.name,
    version: definition.version,
    keys(event) {
      const keys = key(event);
      return typeof keys === 'string' ? [keys] : keys;
    },
    apply: (row, event, of) => {
      const handler = on[event.type];
      return handler === undefined ? row : handler(row, event, of);
    },
    types: typesOf(on),
    fields,
    indexes: definition.indexes ?? [],
    orders,
    nearOrders,
  };
}

/** A row of open work. It says when the work is due. */
export interface WorkRow {
  readonly due_at: Instant;
}

/** Shorthands for the fields of a view. */
export const value = <Row>(of: (row: Row) => Scalar | readonly Scalar[]): Field<Row> => ({ kind: 'value', of });
export const text = <Row>(of: (row: Row) => string | null): Field<Row> => ({ kind: 'text', of });
export const places = <Row>(of: (row: Row) => readonly Place[]): Field<Row> => ({ kind: 'places', of });
