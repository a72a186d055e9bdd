import '../quick-start.js';
import { helpWhereAsked } from '../help.js';

helpWhereAsked();

// Imports after quick-start use its cache and its bundle.
const { runWorker } = await import('#platform');

// A worker: builds views and does due work, beside APIs that share its engines.
runWorker(process.env).catch((error: unknown) => {
  process.stderr.write(`The worker did not start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
