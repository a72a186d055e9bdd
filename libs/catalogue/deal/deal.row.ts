import { rowAfter, type Fold } from '#kernel';
import type { DealEvent } from './deal.events.js';
import type { DealAfter } from './deal.state.js';

export type DealRow = DealAfter;

const told = (_: DealRow | undefined, { data: { deal_id, state, attributes } }: DealEvent): DealRow => ({
  deal_id,
  state,
  attributes,
});

/** What a deal's events make of it: each holds the deal as it stands after it. */
export const dealFold: Fold<DealRow, DealEvent> = {
  'deal-created.v1': told,
  'deal-changed.v1': told,
  'deal-moved.v1': told,
};

/** The deal after one of its events. */
export function dealAfter(row: DealRow | undefined, event: DealEvent): DealRow | undefined {
  return rowAfter(dealFold, row, event, event.data.deal_id);
}
