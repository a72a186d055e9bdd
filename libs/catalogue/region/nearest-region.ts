import type { Place } from '#kernel';
import { milesBetween } from './great-circle.js';
import type { Region } from './region.events.js';

/**
 * The nearest active region whose radius covers the place; of two equally near ones, the first by slug (ruling C4). A
 * region without a centre or a radius covers nothing.
 */
export function nearestRegion(place: Place, regions: readonly Region[]): Region | undefined {
  let nearest: { readonly region: Region; readonly miles: number } | undefined;
  for (const region of regions) {
    const { active, latitude, longitude, radius, id } = region;
    if (!active || latitude === null || longitude === null || radius === null) continue;
    const miles = milesBetween(place, { latitude, longitude });
    if (miles > radius) continue;
    const nearer = nearest === undefined || miles < nearest.miles;
    if (nearer || (miles === nearest?.miles && id < nearest.region.id)) nearest = { region, miles };
  }
  return nearest?.region;
}
