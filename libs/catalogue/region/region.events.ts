// These names are on disk.
import { defineEventTypes, type EventOf } from '#kernel';

/** A region as it stands after the change (interface 2.12, ruling G3). */
export interface Region {
  /** Its slug. */
  readonly id: string;
  readonly name: string;
  /** An IANA time zone. */
  readonly time_zone: string;
  readonly active: boolean;
  /** The middle of the region, in degrees; null when it was not said. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** Miles. */
  readonly radius: number | null;
}

export type RegionEvent = EventOf<'region-set.v1', Region>;

export const regionEvents = defineEventTypes<RegionEvent>('region', { 'region-set.v1': true });
