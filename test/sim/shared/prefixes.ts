import { readConfig } from '#platform';
import type { Environment } from '../world/service-process.js';
import type { World } from '../world/world.js';

/**
 * Chooses the prefix of the installation's streams: mostly the default, sometimes another, or none.
 * @returns the environment with it, and the prefix that a process makes of that
 */
export function withPrefix(
  world: World,
  environment: Environment,
): { readonly environment: Environment; readonly prefix: string } {
  const chosen = world.random.of('prefix').one([undefined, undefined, 'shop_', '']);
  const whole = { ...environment, ...(chosen === undefined ? {} : { EVENTSTORE_PREFIX: chosen }) };
  return { environment: whole, prefix: readConfig(whole).eventStorePrefix };
}
