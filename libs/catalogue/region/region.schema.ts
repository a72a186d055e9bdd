import { IANAZone } from 'luxon';
import { z } from 'zod';
import { boolean, float, read, slug, text } from '#http';
import { readPlace } from './places.js';
import type { Region } from './region.events.js';

/** The attributes of a region, besides its slug. */
export const REGION_INPUT = z.object({
  name: text('line').optional(),
  time_zone: text('line')
    .refine((zone) => (zone === 'UTC' || zone.includes('/')) && IANAZone.isValidZone(zone), {
      error: 'must be an IANA time zone such as America/New_York, or UTC',
    })
    .optional(),
  active: boolean().optional(),
  latitude: float('latitude').nullable().optional(),
  longitude: float('longitude').nullable().optional(),
  radius: float('miles').nullable().optional(),
});

const BODY = z.object({
  // Whoever asks for a ZIP means the region around it.
  slug: slug().refine((input) => readPlace(input).kind !== 'zip', {
    error: 'must not be a ZIP: a ZIP names the nearest region that covers it',
  }),
  ...REGION_INPUT.shape,
});

/** A region's slug; undefined if it is none. */
export function readRegionSlug(input: unknown): string | undefined {
  return BODY.shape.slug.safeParse(input).data;
}

/** Reads a region's slug and its given attributes (ruling G3). @throws ValidationFailed */
export function readRegion(parameters: unknown): {
  readonly slug: string;
  readonly changes: { readonly [Name in keyof Omit<Region, 'id'>]?: Region[Name] | undefined };
} {
  const { slug: id, ...changes } = read(BODY, parameters, 'region');
  return { slug: id, changes };
}
