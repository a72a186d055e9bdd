import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { pid } from 'node:process';
import type { LeaseHolder, Randomness } from '#eventsourcing';
import type { Config } from '../config.js';

/** This process, as it shows itself to others of its installation. @param place that its data folder has */
export function leaseHolder(
  { role, dataDir }: Pick<Config, 'role' | 'dataDir'>,
  place: string,
  randomness: Randomness,
): LeaseHolder {
  const what = role === 'all' ? 'a whole service' : role === 'api' ? 'an API' : 'a worker';
  return {
    mode: role === 'all' ? 'alone' : 'shared',
    place,
    process: randomness.uuid(),
    words: `${what} on ${hostname()} with the data folder ${resolve(dataDir)}, process ${pid}`,
  };
}
