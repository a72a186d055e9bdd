// A process of the simulator that runs the worlds that its parent names, one at a time.
import '../core/stand-ins.js';
import type { Plan } from '../run.js';
import { measured } from './told-world.js';

// The stand-ins come first.
const { run } = await import('../run.js');

process.on('message', (plan: Plan) => {
  measured(plan, () => run(plan)).then(
    ([told]) => process.send?.(told),
    // Nothing may be silent: the parent tells of a child that ends.
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? String(error.stack) : String(error)}\n`);
      process.exit(1);
    },
  );
});
// Ctrl-C in a terminal reaches every process. The parent takes it, and lets the worlds that have begun end.
process.on('SIGINT', () => undefined);
// The parent is done, or gone.
process.once('disconnect', () => process.exit());
