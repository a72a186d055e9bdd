import process from 'node:process';
import { everyStep } from './every-step.js';
import { prepareWorld } from './preparation/prepare-world.js';
import { startForScript } from './preparation/start.js';
import { runScript } from './script.js';

/**
 * `npm run partner-script`: a partner who knows only the interface takes every step over HTTP, against a new service. Prints the
 * table of what differs, and then every step. The exit status is 1 if anything differs.
 */
const { service, discard } = await startForScript();
try {
  const result = await runScript(service, await prepareWorld(service));
  process.stdout.write(everyStep(result));
} finally {
  await discard();
}
