import { FLOATS, TEXTS } from '#kernel/bounds';
import type { Call } from './call.js';
import { decimal, id, orNone, text, yesOrNo } from './values.js';

/** Regions, in which deals are sold. */
export const REGIONS: readonly Call[] = [
  {
    noun: 'regions',
    verb: 'set',
    kind: 'one',
    route: 'PUT /operators/regions/:slug',
    words: 'creates or changes a region; a new one needs a name and a time zone',
    example: 'regions set lisbon --name Lisbon --time-zone Europe/Lisbon',
    arguments: { slug: id('the id of a region, such as lisbon', 'region') },
    options: {
      name: text('its name'),
      time_zone: text('an IANA time zone, such as Europe/Lisbon', TEXTS.line.most),
      active: yesOrNo('whether its deals are sold'),
      latitude: orNone(decimal('of its centre; `none` removes it', FLOATS.latitude)),
      longitude: orNone(decimal('of its centre; `none` removes it', FLOATS.longitude)),
      radius: orNone(decimal('in miles; `none` removes it', FLOATS.miles)),
    },
  },
];
