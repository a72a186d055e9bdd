import { rowAfter, type Fold } from '#kernel';
import type { Region, RegionEvent } from './region.events.js';

/** Folds a region's event into its row. */
export const regionFold: Fold<Region, RegionEvent> = { 'region-set.v1': (_, { data }) => data };

/** The region after one of its events. */
export function regionAfter(row: Region | undefined, event: RegionEvent): Region | undefined {
  return rowAfter(regionFold, row, event, event.data.id);
}
