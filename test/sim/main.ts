import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import pino from 'pino';
import './core/stand-ins.js';
import type { Told } from './core/trace.js';
import { runMany } from './many/many.js';
import { Tally, wordsOf } from './many/tally.js';
import { lineOf, measured } from './many/told-world.js';
import type { Form, Plan, Result } from './run.js';

// The stand-ins come first.
const { run } = await import('./run.js');
const { shrink } = await import('./shrink.js');
const { checkKept, recordKept } = await import('./kept.js');

const USAGE = `npm run sim -- --seed 7 [--seeds 100] [--commands 2000] [--hours 4] [--jobs 2] [--minutes 120] [--shrink] [--replay] [--log]

Runs the product in a simulated world: all of its processes in this one, under a virtual clock, with everything around them that
fails. The same seed is the same world.

  --seed N       the (first) seed
  --seeds N      so many seeds, one after another; --minutes N: as many as fit into that time.
                 Ctrl-C ends after the worlds that have begun, with a summary
  --jobs N       in so many processes at a time, each of which takes the next seed
  --commands N   so many operations of partners and operators in each world
  --form F       whole, cluster or mixed (a whole service on EventStoreDB); by default the seed chooses
  --hours N      the longest time of the world; 2000 operations take less than one. A world that needs longer has failed
  --shrink       finds the shortest plan that still fails, and tells its story; for --shrink-minutes N (5), or until Ctrl-C
  --until-failure  ends after the first seed that fails
  --json FILE    writes the summary of all worlds there
  --kept         runs the seeds of test/sim/kept.json, and compares their worlds; --record records them
  --replay       tells who said what to whom
  --log          shows what the simulated processes log`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    commands: { type: 'string', default: '2000' },
    hours: { type: 'string', default: '4' },
    form: { type: 'string' },
    shrink: { type: 'boolean', default: false },
    'shrink-minutes': { type: 'string', default: '5' },
    'until-failure': { type: 'boolean', default: false },
    kept: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    replay: { type: 'boolean', default: false },
    log: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** In seconds of the world. */
function tell({ at, who, what }: Told): void {
  say(`${(at / 1_000).toFixed(3).padStart(11)} ${who}: ${what}`);
}

function planOf(seed: number): Plan {
  return {
    seed: String(seed),
    commands: Number(values.commands),
    hours: Number(values.hours),
    form: values.form as Form,
  };
}

/** Runs one seed in this process. @returns whether nothing was wrong */
async function runOne(seed: number): Promise<boolean> {
  const plan = planOf(seed);
  const [told, result] = await measured(plan, () =>
    run(plan, {
      ...(values.replay ? { told: tell } : {}),
      ...(values.log ? { logger: pino({ level: 'info' }) } : {}),
    }),
  );
  say(lineOf(told));
  if (result.failure === undefined) return true;
  if (values.shrink) await shrinkHere(plan, result);
  return false;
}

/** Says what the first Ctrl-C does; the second one ends the process at once. */
function awaitInterrupt(words: string): { readonly came: boolean; ignore(): void } {
  let came = false;
  const onInterrupt = (): void => {
    say(words);
    came = true;
  };
  process.once('SIGINT', onInterrupt);
  return {
    get came() {
      return came;
    },
    ignore: () => process.off('SIGINT', onInterrupt),
  };
}

/** Looks for the shortest plan that fails so, for some minutes or until somebody presses Ctrl-C, and tells its story. */
async function shrinkHere(plan: Plan, failed: Result): Promise<void> {
  const interrupt = awaitInterrupt(
    'Ends after this world, and tells the shortest so far; Ctrl-C again ends it at once.',
  );
  const until = performance.now() + Number(values['shrink-minutes']) * 60_000;
  const shrunk = await shrink(plan, failed, {
    run,
    isOver: () => interrupt.came || performance.now() > until,
    tell: say,
  });
  interrupt.ignore();
  const { result, tries, isShortest } = shrunk;
  const without = shrunk.plan.left?.operations;
  const operations = result.operations.filter(({ index }) => without?.has(index) !== true);
  say(
    `\nThe shortest of ${tries} worlds that fails so${isShortest ? '' : ' (there was no time to look for a shorter one)'}.`,
  );
  say(`Operations, after the world is prepared: ${operations.length === 0 ? 'none' : ''}`);
  for (const { index, kind } of operations) say(`  ${index} ${kind}`);
  say(`Faults: ${result.strikes.length === 0 ? 'none' : ''}`);
  for (const strike of result.strikes) say(`  ${strike}`);
  say(
    '\nWhat happened, in seconds of the world. `log` is the event log: position, stream@revision and type of each event.',
  );
  await run(shrunk.plan, { told: tell });
  say(`\nSo it fails: ${String(result.failure?.stack)}`);
}

/** The seeds of this call, one after another. */
function* seeds(): Generator<number, undefined> {
  const until = values.minutes === undefined ? Infinity : performance.now() + Number(values.minutes) * 60_000;
  const most = values.minutes === undefined ? Number(values.seeds) : Infinity;
  for (let index = 0; index < most && performance.now() < until; index += 1) yield Number(values.seed) + index;
  return undefined;
}

/** Runs the seeds here, for people who look closely. */
async function runHere(): Promise<void> {
  for (const seed of seeds()) {
    if (await runOne(seed)) continue;
    process.exitCode = 1;
    if (values['until-failure']) return;
  }
}

/** Runs the seeds in other processes, and says what they say together. */
async function runInJobs(): Promise<void> {
  const tally = new Tally();
  const waiting = seeds();
  const interrupt = awaitInterrupt(
    'Ends after the worlds that have begun, with a summary; Ctrl-C again ends it at once.',
  );
  const next = (): Plan | undefined => {
    if (interrupt.came) return undefined;
    if (values['until-failure'] && process.exitCode === 1) return undefined;
    const seed = waiting.next().value;
    return seed === undefined ? undefined : planOf(seed);
  };
  const jobs = Math.min(Number(values.jobs), availableParallelism() * 2);
  await runMany(jobs, next, (world) => {
    if (world.failure !== undefined) process.exitCode = 1;
    tally.take(world);
    say(lineOf(world));
  });
  interrupt.ignore();
  const summary = tally.summary();
  say(wordsOf(summary));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(summary, null, 2)}\n`);
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
else if (values.shrink || values.replay || values.log) await runHere();
else if (values.seeds === '1' && values.minutes === undefined && values.json === undefined) await runHere();
else await runInJobs();
