import { rowAfter, type Fold } from '#kernel';
import type { DealEvent } from './deal.events.js';
import type { DealAfter } from './deal.state.js';

export type DealRow = DealAfter;

const rowOf = (_: DealRow | undefined, { data: { deal_id, state, attributes } }: DealEvent): DealRow => ({
  deal_id,
  state,
  attributes,
});

/** Folds a deal's event into its row: each event holds the whole deal after the change. */
export const dealFold: Fold<DealRow, DealEvent> = {
  'deal-created.v1': rowOf,
  'deal-changed.v1': rowOf,
  'deal-moved.v1': rowOf,
};

/** The deal after one of its events. */
export function dealAfter(row: DealRow | undefined, event: DealEvent): DealRow | undefined {
  return rowAfter(dealFold, row, event, event.data.deal_id);
}
