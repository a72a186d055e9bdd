import { z } from 'zod';

/** A region as partners see it (interface 2.12). */
export const REGION = z
  .strictObject({ id: z.string().describe('Its slug.'), active: z.boolean(), name: z.string() })
  .meta({ id: 'Region', description: 'A region with deals on sale.' });

/** A region as operators see it (ruling G3). */
export const REGION_SET = z
  .strictObject({
    id: z.string().describe('Its slug.'),
    name: z.string(),
    time_zone: z.string().describe('An IANA time zone.'),
    active: z.boolean(),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    radius: z.number().nullable().describe('Miles.'),
  })
  .meta({ id: 'RegionSet', description: 'A region as operators set it.' });
