import { orderField, type NearOrder, type View } from '#kernel';
import type { Query, Where } from '#eventsourcing/ports';
import { cellsAround } from './cells.js';
import { conditionsOf } from './order-index.js';

/** How a page of what is near is read: in order, from these cells. */
export interface NearPlan {
  readonly by: 'near';
  readonly order: NearOrder<string>;
  readonly circle: Extract<Where, { op: 'near' }>;
  readonly cells: readonly number[];
  /** The other conditions, which must hold too. */
  readonly others: readonly Where[];
}

/** The cells from which a query can be read in its order; undefined if its view has no such order, or the circle is too large. */
export function nearPlanOf(view: View, { where, sort }: Query, many: ReadonlySet<string>): NearPlan | undefined {
  const conditions = conditionsOf(where);
  const [by, ...further] = sort;
  if (by === undefined || further.length > 0 || many.has(by.field)) return undefined;
  for (const order of view.nearOrders) {
    const { field, descending } = orderField(order.by);
    const circle = conditions.find((each) => each.op === 'near' && each.field === order.near);
    if (circle?.op !== 'near' || field !== by.field || descending !== by.descending) continue;
    const cells = cellsAround(circle);
    if (cells !== undefined)
      return { by: 'near', order, circle, cells, others: conditions.filter((each) => each !== circle) };
  }
  return undefined;
}
