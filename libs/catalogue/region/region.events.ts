// The log holds these names: they never change.
import { defineEventTypes, type EventOf } from '#kernel';

/** A whole region after the change (interface 2.12, ruling G3). */
export interface Region {
  /** Its slug. */
  readonly id: string;
  readonly name: string;
  /** An IANA time zone. */
  readonly time_zone: string;
  readonly active: boolean;
  /** The centre of the region, in degrees; null if it is not set. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** Miles. */
  readonly radius: number | null;
}

export type RegionEvent = EventOf<'region-set.v1', Region>;

export const regionEvents = defineEventTypes<RegionEvent>('region', { 'region-set.v1': true });
