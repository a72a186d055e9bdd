import { defineView, value } from '#kernel';
import type { Region, RegionEvent } from './region.events.js';
import { regionFold } from './region.row.js';

/** Regions by slug. */
export const regionsView = defineView<Region, RegionEvent, 'name'>({
  name: 'regions',
  version: 2,
  key: (event) => event.data.id,
  on: regionFold,
  fields: { name: value((row) => row.name) },
  orders: [{ by: ['name'], covers: [] }],
});
