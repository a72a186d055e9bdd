import { defineDecider } from '#kernel';
import type { ProjectionOrdered, ProjectionOrderEvent } from './projection-order.events.js';

/** Notes what operators have ordered of a view (ruling G6), and keeps the last order: the projector knows the generations. */
export const projectionOrders = defineDecider<ProjectionOrdered, ProjectionOrdered | null, ProjectionOrderEvent>({
  category: 'projection',
  initialState: null,
  decide: (data) => [{ type: 'projection-ordered.v1', data }],
  evolve: (_, { data }) => data,
});
