import { defineView } from '#kernel';
import type { DealEvent } from './deal.events.js';
import type { DealAfter } from './deal.state.js';

export type DealRow = DealAfter;

const after = (_: DealRow | undefined, event: DealEvent): DealRow => {
  const { deal_id, state, attributes } = event.data;
  return { deal_id, state, attributes };
};

/** Deals by slug, whole. Lists are asked of the listing. */
export const dealsView = defineView<DealRow, DealEvent>({
  name: 'deals',
  version: 2,
  key: (event) => event.data.deal_id,
  on: { 'deal-created.v1': after, 'deal-changed.v1': after, 'deal-moved.v1': after },
});
