import type { Region } from './region.events.js';

/** A region's answer (interface 2.12). */
export function presentRegion({ id, active, name }: Region): object {
  return { id, active, name };
}
