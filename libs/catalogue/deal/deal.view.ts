import { defineView } from '#kernel';
import type { DealEvent } from './deal.events.js';
import { dealFold, type DealRow } from './deal.row.js';

/** Deals by slug, whole. Lists are asked of the listing. */
export const dealsView = defineView<DealRow, DealEvent>({
  name: 'deals',
  version: 2,
  key: (event) => event.data.deal_id,
  on: dealFold,
});
