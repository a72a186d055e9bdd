import { defineView, value } from '#kernel';
import type { Region, RegionEvent } from './region.events.js';

/** Regions by slug. */
export const regionsView = defineView<Region, RegionEvent>({
  name: 'regions',
  version: 1,
  key: (event) => event.data.id,
  on: { 'region-set.v1': (_, event) => event.data },
  fields: { name: value((row) => row.name) },
  indexes: [['name']],
});
