import '../quick-start.js';
import { helpWhereAsked } from '../help.js';

helpWhereAsked();

// What is loaded from here on is found and compiled quickly.
await import('reflect-metadata');
const { run } = await import('#platform');

// One program: it answers, follows the log, and does what is due.
run(process.env).catch((error: unknown) => {
  process.stderr.write(`Holdfast did not start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
