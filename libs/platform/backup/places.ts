import { type Config, readConfig } from '../config.js';
import type { Environment } from '../environment.js';

/** What backup and restore take from the environment of a service. */
const NAMES = [
  'DATA_DIR',
  'MASTER_KEY',
  'EVENTSTORE_URL',
  'EVENTSTORE_PREFIX',
  'MONGODB_URL',
  'SANDBOX_GATEWAY_URL',
  'ERASURES_FILE',
];

/** The settings that say where an installation is. Others of a service, such as its address, do not matter here. */
export function placesIn(environment: Environment): Config {
  return readConfig(Object.fromEntries(NAMES.map((name) => [name, environment[name]])));
}
