import 'reflect-metadata';
import { run } from '#platform';

// One program: it answers, follows the log, and does what is due.
run(process.env).catch((error: unknown) => {
  process.stderr.write(`Holdfast did not start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
