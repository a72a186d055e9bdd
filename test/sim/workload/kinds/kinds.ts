import type { Kind } from '../doing.js';
import { buying } from './buying.js';
import { catalogue } from './catalogue.js';
import { coupons } from './coupons.js';
import { engagement } from './engagement.js';
import { operating } from './operating.js';
import { people } from './people.js';
import { races } from './races.js';

/** Every kind of operation, by its name. */
export const KINDS: Readonly<Record<string, Kind>> = {
  ...buying,
  ...coupons,
  ...catalogue,
  ...people,
  ...engagement,
  ...operating,
  ...races,
};
