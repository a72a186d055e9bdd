import { defineDecider, type EventBody } from '#kernel';
import type { WorkOrderEvent } from './work-order.events.js';

/** A piece of work: the name of its list, and its key there. */
export interface PieceOfWork {
  readonly list: string;
  readonly key: string;
}

export type WorkOrder =
  | ({ readonly type: 'retry' } & PieceOfWork)
  | ({ readonly type: 'abandon'; readonly reason: string } & PieceOfWork);

/** The id of the stream of a piece of work. */
export const workOrderId = ({ list, key }: PieceOfWork): string => `${list}.${key}`;

/**
 * What operators order for a piece of work (ruling G6.2). It keeps the last order, but refuses none: the view of the list says what is
 * open, and a key may be open again for something new.
 */
export const workOrders = defineDecider<WorkOrder, WorkOrder['type'] | null, WorkOrderEvent>({
  category: 'work',
  initialState: null,
  decide({ list, key, ...order }) {
    if (order.type === 'retry') return [{ type: 'work-retried.v1', data: { list, key } }];
    return [{ type: 'work-abandoned.v1', data: { list, key, reason: order.reason } }];
  },
  evolve: (_, { type }) => (type === 'work-retried.v1' ? 'retry' : 'abandon'),
});

/** The work that an event wants tried again at once; undefined for any other event. */
export function retriedBy(event: EventBody): PieceOfWork | undefined {
  return event.type === 'work-retried.v1' ? (event.data as PieceOfWork) : undefined;
}
