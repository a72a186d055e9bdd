import { AS_OF } from './as-of.js';
import { BACKUPS } from './backups.js';
import type { Call } from './call.js';
import { CLOCK } from './clock.js';
import { DEALS } from './deals.js';
import { EVENTS } from './events.js';
import { HEALTH } from './health.js';
import { IMPORT } from './import.js';
import { LISTS } from './lists.js';
import { LOOKUPS } from './lookups.js';
import { METRICS } from './metrics.js';
import { PARTNERS } from './partners.js';
import { PROJECTIONS } from './projections.js';
import { PROOFS } from './proofs.js';
import { REGIONS } from './regions.js';
import { SALES } from './sales.js';
import { SERVICE_KEYS } from './service-keys.js';
import { SETTINGS } from './settings.js';
import { TOKENS } from './tokens.js';
import { VERIFY } from './verify.js';
import { WORK } from './work.js';

export { LOCAL, SETTINGS_FILE } from '../local/commands.js';
export { argumentsOf, type Call, exampleOf, inPath, nameOf, type ListCall, type Value, wordsOf } from './call.js';

/** Every command: a call of operators or auditors as a noun and a verb (ruling G8). */
export const CALLS: readonly Call[] = [
  ...LOOKUPS,
  ...LISTS,
  ...DEALS,
  ...REGIONS,
  ...IMPORT,
  ...PARTNERS,
  ...TOKENS,
  ...SERVICE_KEYS,
  ...SALES,
  ...EVENTS,
  ...AS_OF,
  ...PROOFS,
  ...VERIFY,
  ...BACKUPS,
  ...PROJECTIONS,
  ...WORK,
  ...CLOCK,
  ...SETTINGS,
  ...HEALTH,
  ...METRICS,
];

/** What the nouns are about. */
export const NOUNS: Readonly<Record<string, string>> = {
  find: 'finds what an id, e-mail address, barcode, code, reference or slug names',
  users: 'users of all partners',
  batches: 'batches of mails',
  deals: 'deals, their workflow and their stock',
  regions: 'regions, in which deals are sold',
  imports: 'imports that have changed something',
  import: 'regions, deals, partners and users from a file',
  partners: 'partners',
  keys: 'the API keys of partners',
  tokens: 'tokens of operators and auditors',
  'service-keys': 'the keys of the installation, and their rotation',
  coupons: 'coupons of all partners',
  purchases: 'purchases and reservations of all partners',
  reservations: 'open holds',
  cards: 'stored cards',
  'access-tokens': 'access tokens of users',
  'card-links': 'links of cards to deals',
  subscriptions: 'subscriptions to the mails of a region',
  'saved-deals': 'deals that users have saved',
  events: 'events of the log, for auditors',
  actions: 'what operators did',
  verify: 'checks the whole log',
  backups: 'backups that the service itself takes (`backup` takes one from here)',
  projections: 'projections, and how they are built again',
  work: 'what the service does by itself, later or again',
  clock: 'the time of the service',
  settings: 'the settings of the service, without secrets',
  health: 'whether the service is ready',
  metrics: 'what the processes of the service have measured',
};

/** The routes that operators or auditors call and that have no command, each with the reason. */
export const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  'GET /operators/find': '`find` finds the same, and more: it sends what you write in a body',
  'GET /operators/backup/state': '`backup` makes this call, and writes what it gets',
  'GET /metrics': 'it is for Prometheus; `metrics show` shows people what was measured',
  'GET /health/live': 'only says that the process answers, as any answer to a command does',
};
