import type { Document } from 'mongodb';
import { foldText, type View } from '#kernel';
import { EARTH_RADIUS_MILES, type Query, type Where } from '#eventsourcing';
import { pathOf, PRESENT } from './row-document.js';

/** Is true for no document. */
const NOTHING: Document = { _id: { $in: [] } };

/**
 * The query language as filter documents. It has MongoDB's meaning: types do not mix in ranges, and a condition on a list
 * holds if one value meets it. Throws a RangeError for a field that the view does not declare or that is not of the kind
 * that the condition needs.
 */
export function filterOf(view: View, where: Where): Document {
  return { $and: [PRESENT, conditionOf(view, where)] };
}

/** The sort fields in order; the key comes last and breaks ties. */
export function orderOf(view: View, sort: Query['sort']): Map<string, 1 | -1> {
  const order = new Map<string, 1 | -1>();
  for (const { field, descending } of sort) {
    const path = field === 'key' ? '_id' : valuePath(view, field);
    if (!order.has(path)) order.set(path, descending ? -1 : 1);
  }
  if (!order.has('_id')) order.set('_id', 1);
  return order;
}

export function valuePath(view: View, field: string): string {
  return declared(view, field, 'value');
}

function conditionOf(view: View, where: Where): Document {
  switch (where.op) {
    case 'and':
    case 'or':
      if (where.of.length === 0) return where.op === 'and' ? {} : NOTHING;
      return { [`$${where.op}`]: where.of.map((part) => conditionOf(view, part)) };
    case 'not':
      return { $nor: [conditionOf(view, where.of)] };
    case 'keyAfter':
      return { _id: { $gt: where.key } };
    case 'contains':
      return { [declared(view, where.field, 'text')]: { $regex: literal(foldText(where.part)) } };
    case 'near':
      return nearOf(declared(view, where.field, 'places'), where);
    case 'in':
      return { [valuePath(view, where.field)]: { $in: where.values } };
    default:
      return { [valuePath(view, where.field)]: { [`$${where.op}`]: where.value } };
  }
}

function nearOf(path: string, { latitude, longitude, miles }: Extract<Where, { op: 'near' }>): Document {
  const angle = miles / EARTH_RADIUS_MILES;
  if (!(angle >= 0)) return NOTHING;
  // A circle that large is the whole earth.
  if (angle >= Math.PI) return { [`${path}.0`]: { $exists: true } };
  return { [path]: { $geoWithin: { $centerSphere: [[longitude, latitude], angle] } } };
}

/** A pattern that matches exactly this text; NUL must be escaped. */
function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll('\0', '\\x00');
}

function declared(view: View, field: string, kind: string): string {
  const fields = view.fields;
  if (!Object.hasOwn(fields, field) || fields[field]?.kind !== kind) {
    throw new RangeError(`the view ${view.name} declares no ${kind} field ${field}`);
  }
  return pathOf(field);
}
