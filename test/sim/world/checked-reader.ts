import type { Query, ViewReader, Where } from '#eventsourcing';
import type { View } from '#kernel';

/** A reader that refuses impossible pages, and fields that the view does not declare, as every engine does. */
export function checkedReader(view: View, reader: ViewReader): ViewReader {
  return {
    get: (key) => reader.get(key),
    texts: (keys) => reader.texts(keys),
    position: () => reader.position(),
    async find(query) {
      checkQuery(view, query);
      return reader.find(query);
    },
    async versions(query) {
      checkQuery(view, query);
      return reader.versions(query);
    },
    async count(where, examine) {
      checkWhere(view, where);
      return reader.count(where, examine);
    },
    async min(field, where) {
      checkField(view, field, 'value');
      checkWhere(view, where);
      return reader.min(field, where);
    },
  };
}

/** Whether two versions of a view have the same fields: then rows of one can be read as rows of the other. */
export function hasFieldsOf(one: View, other: View): boolean {
  return layoutOf(one) === layoutOf(other);
}

function layoutOf({ fields, indexes, orders }: View): string {
  const kinds = Object.entries(fields).map(([name, { kind }]) => `${name} ${kind}`);
  return JSON.stringify([kinds.sort(), indexes, orders]);
}

function checkQuery(view: View, { where, sort, page, perPage }: Query): void {
  if (![page, perPage].every((each) => Number.isSafeInteger(each) && each >= 1))
    throw new RangeError('pages count from 1, and hold 1 row at least');
  checkWhere(view, where);
  for (const { field } of sort) if (field !== 'key') checkField(view, field, 'value');
}

function checkWhere(view: View, where: Where): void {
  switch (where.op) {
    case 'and':
    case 'or':
      for (const part of where.of) checkWhere(view, part);
      return;
    case 'not':
      checkWhere(view, where.of);
      return;
    case 'keyAfter':
      return;
    case 'contains':
      checkField(view, where.field, 'text');
      return;
    case 'near':
      checkField(view, where.field, 'places');
      return;
    default:
      checkField(view, where.field, 'value');
  }
}

function checkField({ name, fields }: View, field: string, kind: string): void {
  if (!Object.hasOwn(fields, field) || fields[field]?.kind !== kind)
    throw new RangeError(`the view ${name} declares no ${kind} field ${field}`);
}
