import { parseArgs } from 'node:util';
import pino from 'pino';
import { run } from './run.js';

const USAGE = `npm run sim -- --seed 7 [--seeds 100] [--commands 2000] [--hours 1000] [--replay] [--log]

Runs the product in a simulated world: all of its processes in this one, under a virtual clock, with everything around them that
fails. The same seed is the same world. --seeds runs so many, from --seed on. --replay tells who said what to whom; --log shows
what the processes log.`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    commands: { type: 'string', default: '2000' },
    hours: { type: 'string', default: '1000' },
    replay: { type: 'boolean', default: false },
    log: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<void> {
  const [first, count] = [Number(values.seed), Number(values.seeds)];
  let failed = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    const began = performance.now();
    const plan = { seed: String(seed), commands: Number(values.commands), hours: Number(values.hours) };
    const { digest, steps, lasted, struck, failure } = await run(plan, {
      ...(values.replay ? { told: ({ at, who, what }) => say(`${at.toFixed(3).padStart(14)} ${who}: ${what}`) } : {}),
      ...(values.log ? { logger: pino({ level: 'info' }) } : {}),
    });
    const took = performance.now() - began;
    const strikes = [...struck.values()].reduce((sum, each) => sum + each, 0);
    say(
      `seed ${seed}: ${digest}, ${steps} steps, ${strikes} faults, ${(lasted / 60_000).toFixed(1)} min in ${(took / 1_000).toFixed(1)} s${failure === undefined ? '' : `, FAILED: ${failure.message}`}`,
    );
    if (failure !== undefined) failed += 1;
  }
  process.exitCode = failed === 0 ? 0 : 1;
}

if (values.help) say(USAGE);
else await main();
