import type { Query, Where } from '#eventsourcing/ports';
import { fieldsOf, type ListOrder, type View } from '#kernel';
import { nameOfOrder } from './schema.js';

/** An index that has the rows of a query in its order. */
export interface OrderIndex {
  readonly name: string;
  /** Whether no other index of an order has fewer rows that could fit. */
  readonly isNarrowest: boolean;
}

/**
 * The index in whose order a query can be read, row by row, until its page is full: after fields for which the query names one
 * value, it has the fields of the query's order. Undefined if there is none, or if a condition finds its rows elsewhere. An
 * index that must be read from its end comes last: it has rows that tie the other way round, and SQLite sorts all of them.
 */
export function orderIndexOf(view: View, { where, sort }: Query, many: ReadonlySet<string>): OrderIndex | undefined {
  const conditions = conditionsOf(where);
  if (conditions.some((each) => each.op === 'near' || ('field' in each && many.has(each.field)))) return undefined;
  const fixed = new Set(conditions.flatMap((each) => (each.op === 'eq' ? [each.field] : [])));
  const named = new Set(conditions.flatMap((each) => (each.op === 'eq' && each.value !== null ? [each.field] : [])));
  const hasRows = (order: ListOrder<string>): boolean =>
    order.sparse !== true ||
    fieldsOf(order)
      .slice(0, 1)
      .every(({ field }) => named.has(field));
  const prefix = (order: ListOrder<string>): number => {
    const fields = fieldsOf(order);
    const first = fields.findIndex(({ field }) => !fixed.has(field) || field === sort[0]?.field);
    return first === -1 ? fields.length : first;
  };
  const isReversed = (order: ListOrder<string>): boolean =>
    fieldsOf(order)[prefix(order)]?.descending !== sort[0]?.descending;
  const fitting = view.orders.filter((order) => {
    const rest = fieldsOf(order).slice(prefix(order));
    return (
      hasRows(order) &&
      rest.length === sort.length &&
      rest.every(({ field, descending }, at) => {
        const wanted = sort[at];
        return field === wanted?.field && descending !== (isReversed(order) ? wanted.descending : !wanted.descending);
      })
    );
  });
  const [best] = fitting.toSorted(
    (one, other) => prefix(other) - prefix(one) || Number(isReversed(one)) - Number(isReversed(other)),
  );
  if (best === undefined) return undefined;
  return { name: nameOfOrder(best), isNarrowest: view.orders.every((order) => prefix(order) <= prefix(best)) };
}

/** The conditions that must all hold. */
export function conditionsOf(where: Where): readonly Where[] {
  return where.op === 'and' ? where.of.flatMap(conditionsOf) : [where];
}
