import { defineView } from '#kernel';
import type { DealEvent } from './deal.events.js';
import { dealFold, type DealRow } from './deal.row.js';

/** Whole deals by slug. Lists use the view `deal-listing`. */
export const dealsView = defineView<DealRow, DealEvent>({
  name: 'deals',
  version: 2,
  key: (event) => event.data.deal_id,
  on: dealFold,
});
