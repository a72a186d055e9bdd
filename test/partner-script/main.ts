import process from 'node:process';
import { isBesides } from './besides.js';
import { everyStep } from './every-step.js';
import { prepareWorld } from './preparation/prepare-world.js';
import { startForScript } from './preparation/start.js';
import { runScript } from './script.js';

/**
 * `npm run partner-script`: a partner who knows only the interface takes every step over HTTP, against a new service. Prints the
 * table of what differs, and then every step. The exit status is 1 if anything differs but the keys of `besides.ts`.
 */
const { service, discard } = await startForScript();
try {
  const result = await runScript(service, await prepareWorld(service));
  const besides = result.differences.filter(isBesides).length;
  process.exitCode = besides === result.differences.length ? 0 : 1;
  process.stdout.write(everyStep(result));
  process.stdout.write(`${besides} of the differences are keys that errors have besides those of 7.1\n`);
} finally {
  await discard();
}
