import type { Call } from './call.js';
import { CLOCK } from './clock.js';
import { DEALS } from './deals.js';
import { EVENTS } from './events.js';
import { HEALTH } from './health.js';
import { IMPORT } from './import.js';
import { PARTNERS } from './partners.js';
import { PROJECTIONS } from './projections.js';
import { REGIONS } from './regions.js';
import { SALES } from './sales.js';
import { TOKENS } from './tokens.js';

export { type Call, exampleOf, inPath, type ListCall, type Value, wordsOf } from './call.js';

/** Every command: a call of operators or auditors as a noun and a verb (ruling G8). */
export const CALLS: readonly Call[] = [
  ...DEALS,
  ...REGIONS,
  ...IMPORT,
  ...PARTNERS,
  ...TOKENS,
  ...SALES,
  ...EVENTS,
  ...PROJECTIONS,
  ...CLOCK,
  ...HEALTH,
];

/** What the nouns are about. */
export const NOUNS: Readonly<Record<string, string>> = {
  deals: 'deals, their workflow and their stock',
  regions: 'regions, in which deals are sold',
  import: 'regions, deals, partners and users from a file',
  partners: 'partners',
  keys: 'the API keys of partners',
  tokens: 'tokens of operators and auditors',
  coupons: 'coupons of all partners',
  purchases: 'purchases and reservations of all partners',
  events: 'events of the log, for auditors',
  projections: 'projections, and how they are built again',
  clock: 'the time of the service',
  health: 'whether the service is ready',
};

/** The routes that operators or auditors call and that have no command, each with the reason. */
export const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  'GET /health/live': 'only says that the process answers, as any answer to a command does',
};
