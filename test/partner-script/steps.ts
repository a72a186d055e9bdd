import { batches } from './batches.steps.js';
import { cardLinks } from './card-links.steps.js';
import { cards } from './cards.steps.js';
import { coupons } from './coupons.steps.js';
import { deals } from './deals.steps.js';
import { dealsV3 } from './deals-v3.steps.js';
import { errors } from './errors.steps.js';
import { purchases } from './purchases.steps.js';
import { pages, regions } from './regions.steps.js';
import { resellers } from './resellers.steps.js';
import { reservations } from './reservations.steps.js';
import { savedDeals, subscriptions } from './saved-and-subscriptions.steps.js';
import { type Pause, type Step } from './step.js';
import { users } from './users.steps.js';

/** All steps, in the order in which a partner takes them. Later ones use what earlier ones brought. */
export const steps: readonly (Step | Pause)[] = [
  ...regions,
  ...pages,
  ...dealsV3,
  ...deals,
  ...users,
  ...cards,
  ...purchases,
  ...reservations,
  ...resellers,
  ...coupons,
  ...cardLinks,
  ...savedDeals,
  ...subscriptions,
  ...batches,
  ...errors,
];
