import '../quick-start.js';
import { helpWhereAsked } from '../help.js';

helpWhereAsked();

// What is loaded from here on is found and compiled quickly.
await import('reflect-metadata');
const { runWorker } = await import('#platform');

// Builds the views and does what is due, beside APIs that share its engines.
runWorker(process.env).catch((error: unknown) => {
  process.stderr.write(`The worker did not start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
