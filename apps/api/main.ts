import '../quick-start.js';
import { helpWhereAsked } from '../help.js';

helpWhereAsked();

// Imports after quick-start use its cache and its bundle.
const { run } = await import('#platform');

// The service.
run(process.env).catch((error: unknown) => {
  process.stderr.write(`Holdfast did not start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
