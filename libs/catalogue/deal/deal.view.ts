import { defineView, value } from '#kernel';
import { categorySlug } from './category-slug.js';
import type { DealEvent } from './deal.events.js';
import type { DealAfter } from './deal.state.js';

export type DealRow = DealAfter;

const after = (_: DealRow | undefined, event: DealEvent): DealRow => {
  const { deal_id, state, attributes } = event.data;
  return { deal_id, state, attributes };
};

/** Deals by slug; latest end first. What depends on the clock is asked of `state`, `start_at` and `end_at`. */
export const dealsView = defineView<DealRow, DealEvent>({
  name: 'deals',
  version: 2,
  key: (event) => event.data.deal_id,
  on: { 'deal-created.v1': after, 'deal-changed.v1': after, 'deal-moved.v1': after },
  fields: {
    region_id: value((row) => row.attributes.region_id),
    state: value((row) => row.state),
    start_at: value((row) => row.attributes.start_at),
    end_at: value((row) => row.attributes.end_at),
    type: value((row) => row.attributes.type),
    bg: value((row) => row.attributes.tags.includes('bg')),
    category: value(({ attributes: { category } }) => (category === null ? null : categorySlug(category))),
  },
  indexes: [['region_id', 'end_at'], ['region_id', 'start_at'], ['end_at']],
});
