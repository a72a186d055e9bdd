import { type Field, fieldsOf, type ListOrder, type NearOrder, orderField, type View } from '#kernel';

/** A field in the table `rows`; places have no column. */
export type Column = Exclude<Field<object>, { kind: 'places' }> & { readonly name: string; readonly sql: string };
export type PlacesField = Extract<Field<object>, { kind: 'places' }> & { readonly name: string };

/** The tables and indexes for one view and version. */
export interface Schema {
  readonly columns: readonly Column[];
  readonly places: readonly PlacesField[];
  /** The columns that orders of places repeat in `places`. */
  readonly near: readonly Column[];
  readonly tables: string;
  readonly indexes: readonly string[];
}

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

export function columnOf(field: string): string {
  return quoted(`f_${field}`);
}

/** The index of an order. */
export function nameOfOrder(order: Pick<ListOrder<string>, 'by'>): string {
  return quoted(
    `order_${fieldsOf(order)
      .map(({ field, descending }) => (descending ? `${field}_desc` : field))
      .join('_')}`,
  );
}

/** The fields by which a view orders places: the table `places` repeats their columns. */
export function fieldsNear(view: Pick<View, 'nearOrders'>): readonly string[] {
  return [...new Set(view.nearOrders.map((order) => orderField(order.by).field))];
}

/** The index of an order of places. */
export function nameOfNear(order: NearOrder<string>): string {
  const { field, descending } = orderField(order.by);
  return quoted(`near_${order.near}_${field}${descending ? '_desc' : ''}`);
}

/**
 * `rows` has the row's text in its last column, so that a scan over the fields stops before it. `many` has the values of the
 * fields that have returned a list (of every row, from the first list on; `meta.many` names these fields); `places` has the
 * places, and for orders of places the cell of each, the key and the fields of these orders.
 *
 * There are only the declared indexes, because each costs the projector at every write; a condition on another field filters
 * what an index has found. The key, which breaks ties, follows the fields of an index, so a page is read from the index
 * without sorting. Fields that an order only covers come after it.
 */
export function schemaOf(view: View): Schema {
  const columns: Column[] = [];
  const places: PlacesField[] = [];
  for (const [name, field] of Object.entries(view.fields)) {
    if (field.kind === 'places') places.push({ ...field, name });
    else columns.push({ ...field, name, sql: columnOf(name) });
  }
  const near = fieldsNear(view).map(columnOf);
  const ofNear = near.length === 0 ? '' : ` cell INTEGER, key TEXT, ${near.map((column) => `${column}, `).join('')}`;
  const own = columns.map(({ sql }) => `${sql}, `).join('');
  const tables = [
    `CREATE TABLE rows (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, position INTEGER NOT NULL, ${own}row TEXT NOT NULL)`,
    `CREATE TABLE many (row INTEGER, field TEXT, nth INTEGER, value, PRIMARY KEY (row, field, nth)) WITHOUT ROWID`,
    `CREATE TABLE places (row INTEGER, field TEXT, nth INTEGER, latitude REAL, longitude REAL,${ofNear}
       PRIMARY KEY (row, field, nth)) WITHOUT ROWID`,
    `CREATE TABLE meta (log TEXT NOT NULL, view TEXT NOT NULL, version INTEGER NOT NULL, layout TEXT NOT NULL,
       many TEXT NOT NULL, position INTEGER, event TEXT, finished INTEGER NOT NULL)`,
  ];
  const indexes = [
    ...view.indexes.map((fields) => {
      const name = quoted(`by_${fields.join('_')}`);
      return `CREATE INDEX ${name} ON rows (${fields.map((field) => `${columnOf(field)}, `).join('')}key)`;
    }),
    ...view.orders.map((order) => {
      const by = fieldsOf(order);
      const ordered = by.map(({ field, descending }) => `${columnOf(field)}${descending ? ' DESC' : ''}`);
      const covered = [...order.covers.map(columnOf), ...(order.coversPosition === true ? ['position'] : [])];
      const few = order.sparse === true && by[0] !== undefined ? ` WHERE ${columnOf(by[0].field)} IS NOT NULL` : '';
      return `CREATE INDEX ${nameOfOrder(order)} ON rows (${[...ordered, 'key', ...covered].join(', ')})${few}`;
    }),
    'CREATE INDEX many_by_value ON many (field, value)',
    'CREATE INDEX places_by_latitude ON places (field, latitude, longitude)',
    ...view.nearOrders.map((order) => {
      const { field, descending } = orderField(order.by);
      const ordered = `${columnOf(field)}${descending ? ' DESC' : ''}`;
      return `CREATE INDEX ${nameOfNear(order)} ON places (field, cell, ${ordered}, key, latitude, longitude)`;
    }),
  ];
  const ofNears = new Set(near);
  return { columns, places, near: columns.filter(({ sql }) => ofNears.has(sql)), tables: tables.join(';'), indexes };
}

/**
 * Identifies the shape of a file: it differs if fields changed without a new version, or another build of this adapter wrote
 * the file.
 */
export function layoutOf(schema: Schema): string {
  return `${schema.tables};${schema.indexes.join(';')}`;
}
