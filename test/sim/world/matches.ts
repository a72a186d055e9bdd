import { EARTH_RADIUS_MILES, type Query, type Where } from '#eventsourcing';
import { foldText, type Place, type Scalar, type View } from '#kernel';

/** What queries see of a row: the values of its view's fields. */
export type FieldValues = Readonly<Record<string, readonly Scalar[] | readonly Place[]>>;

/** The field values of a row. @throws what a field throws */
export function fieldsOf(view: View, row: object): FieldValues {
  const values: Record<string, readonly Scalar[] | readonly Place[]> = {};
  for (const [name, field] of Object.entries(view.fields)) {
    if (field.kind === 'places') values[name] = field.of(row);
    else if (field.kind === 'text') {
      const text = field.of(row);
      values[name] = [text === null ? null : foldText(text)];
    } else {
      const value = field.of(row);
      values[name] = Array.isArray(value) ? (value as readonly Scalar[]) : [value as Scalar];
    }
  }
  return values;
}

/** Whether a row meets a condition, as the port `ViewReader` says. */
export function matches(row: { readonly key: string; readonly values: FieldValues }, where: Where): boolean {
  const { values } = row;
  switch (where.op) {
    case 'keyAfter':
      return compare(row.key, where.key) > 0;
    case 'and':
      return where.of.every((part) => matches(row, part));
    case 'or':
      return where.of.some((part) => matches(row, part));
    case 'not':
      return !matches(row, where.of);
    case 'eq':
      return scalars(values, where.field).includes(where.value);
    case 'ne':
      return !scalars(values, where.field).includes(where.value);
    case 'in':
      return scalars(values, where.field).some((value) => where.values.includes(value));
    case 'contains':
      return scalars(values, where.field).some(
        (value) => typeof value === 'string' && value.includes(foldText(where.part)),
      );
    case 'near':
      return ((values[where.field] ?? []) as readonly Place[]).some((place) => miles(place, where) <= where.miles);
    default: {
      const { op, value: bound } = where;
      return scalars(values, where.field).some((value) => {
        if (value === null || typeof value !== typeof bound) return false;
        const order = compare(value, bound);
        return op === 'lt' ? order < 0 : op === 'lte' ? order <= 0 : op === 'gt' ? order > 0 : order >= 0;
      });
    }
  }
}

/** The order of two rows in a query. */
export function inOrderOf(
  sort: Query['sort'],
): (
  one: { readonly key: string; readonly values: FieldValues },
  other: { readonly key: string; readonly values: FieldValues },
) => number {
  return (one, other) => {
    for (const { field, descending } of sort) {
      const order =
        field === 'key'
          ? compare(one.key, other.key)
          : compare(scalars(one.values, field)[0] ?? null, scalars(other.values, field)[0] ?? null);
      if (order !== 0) return descending ? -order : order;
    }
    return compare(one.key, other.key);
  };
}

/** null, numbers, strings by code point, false, true. */
export function compare(one: Scalar, other: Scalar): number {
  const [a, b] = [rank(one), rank(other)];
  if (a !== b) return a - b;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one === 'string' && typeof other === 'string') {
    return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
  }
  return 0;
}

function rank(value: Scalar): number {
  if (value === null) return 0;
  if (typeof value === 'number') return 1;
  if (typeof value === 'string') return 2;
  return value ? 4 : 3;
}

function scalars(values: FieldValues, field: string): readonly Scalar[] {
  const found = values[field];
  if (found === undefined) throw new RangeError(`the view has no field ${field}`);
  return found as readonly Scalar[];
}

function miles(one: Place, other: Place): number {
  const radians = Math.PI / 180;
  const [a, b] = [one.latitude * radians, other.latitude * radians];
  const half = Math.sin((b - a) / 2) ** 2;
  const across = Math.cos(a) * Math.cos(b) * Math.sin(((other.longitude - one.longitude) * radians) / 2) ** 2;
  return 2 * EARTH_RADIUS_MILES * Math.asin(Math.min(1, Math.sqrt(half + across)));
}
