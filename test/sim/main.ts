import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import pino from 'pino';
import './core/stand-ins.js';
import type { Told } from './core/trace.js';
import type { Form, Plan, Result } from './run.js';

// The stand-ins come first.
const { run } = await import('./run.js');
const { shrink } = await import('./shrink.js');
const { checkKept, recordKept } = await import('./kept.js');

const USAGE = `npm run sim -- --seed 7 [--seeds 100] [--commands 2000] [--hours 1000] [--jobs 2] [--minutes 120] [--shrink] [--replay] [--log]

Runs the product in a simulated world: all of its processes in this one, under a virtual clock, with everything around them that
fails. The same seed is the same world.

  --seed N       the (first) seed
  --seeds N      so many seeds, one after another; --minutes N: as many as fit into that time
  --jobs N       in so many processes at a time
  --commands N   so many operations of partners and operators in each world
  --form F       whole, cluster or mixed (a whole service on EventStoreDB); by default the seed chooses
  --hours N      the longest time of the world
  --shrink       finds the shortest plan that still fails, and tells its story
  --until-failure  ends after the first seed that fails
  --kept         runs the seeds of test/sim/kept.json, and compares their worlds; --record records them
  --replay       tells who said what to whom
  --log          shows what the simulated processes log`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    /** Of several processes, which one this is. */
    job: { type: 'string', default: '0' },
    commands: { type: 'string', default: '2000' },
    hours: { type: 'string', default: '1000' },
    form: { type: 'string' },
    shrink: { type: 'boolean', default: false },
    'until-failure': { type: 'boolean', default: false },
    kept: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    replay: { type: 'boolean', default: false },
    log: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** The most worlds that a shrinking tries. */
const TRIES = 300;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function tell({ at, who, what }: Told): void {
  say(`${at.toFixed(3).padStart(14)} ${who}: ${what}`);
}

function summary({ seed }: Plan, { digest, steps, lasted, strikes, failure }: Result, took: number): string {
  const world = `${steps} steps, ${strikes.length} faults, ${(lasted / 60_000).toFixed(1)} min in ${(took / 1_000).toFixed(1)} s`;
  return `seed ${seed}: ${digest}, ${world}${failure === undefined ? '' : `, FAILED: ${failure.message}`}`;
}

/** Runs one seed. @returns whether nothing was wrong */
async function runOne(seed: number): Promise<boolean> {
  const plan: Plan = {
    seed: String(seed),
    commands: Number(values.commands),
    hours: Number(values.hours),
    form: values.form as Form,
  };
  const began = performance.now();
  const result = await run(plan, {
    ...(values.replay ? { told: tell } : {}),
    ...(values.log ? { logger: pino({ level: 'info' }) } : {}),
  });
  say(summary(plan, result, performance.now() - began));
  if (result.failure === undefined) return true;
  if (values.shrink) {
    const shrunk = await shrink(plan, result, TRIES, say);
    const { operations = new Set() } = shrunk.plan.left ?? {};
    say(`The shortest of ${shrunk.tries} worlds that fails so has these operations and faults:`);
    const kept = Array.from({ length: plan.commands }, (_, index) => index).filter((each) => !operations.has(each));
    say(`  operations ${kept.join(' ')}`);
    for (const strike of shrunk.result.strikes) say(`  ${strike}`);
    await run(shrunk.plan, { told: tell });
    say(String(shrunk.result.failure?.stack));
  }
  return false;
}

/** Runs the seeds of this process. */
async function runMine(): Promise<void> {
  const [first, count, jobs, job] = [values.seed, values.seeds, values.jobs, values.job].map(Number);
  const until = values.minutes === undefined ? Infinity : performance.now() + Number(values.minutes) * 60_000;
  const most = values.minutes === undefined ? (count ?? 1) : Infinity;
  for (let index = job ?? 0; index < most && performance.now() < until; index += jobs ?? 1) {
    if (await runOne((first ?? 1) + index)) continue;
    process.exitCode = 1;
    if (values['until-failure']) return;
  }
}

/** Runs the seeds in several processes. */
function runInJobs(jobs: number): Promise<unknown> {
  return Promise.all(
    Array.from({ length: jobs }, async (_, job) => {
      const child = fork(process.argv[1] ?? '', [...process.argv.slice(2), '--job', String(job)]);
      const code = await new Promise((resolve) => child.once('exit', resolve));
      if (code !== 0) process.exitCode = 1;
    }),
  );
}

/** Runs the kept seeds. */
async function runKept(): Promise<void> {
  const wrong = await checkKept(say);
  for (const line of wrong) say(line);
  if (wrong.length > 0) {
    say('If the change is meant, record the worlds again: npm run sim -- --record');
    process.exitCode = 1;
  }
}

if (values.help) say(USAGE);
else if (values.record) await recordKept();
else if (values.kept) await runKept();
else if (Number(values.jobs) > 1 && !process.argv.includes('--job'))
  await runInJobs(Math.min(Number(values.jobs), availableParallelism() * 2));
else await runMine();
