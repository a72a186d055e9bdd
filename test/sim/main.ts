import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import './core/stand-ins.js';
import type { Told } from './core/trace.js';
import { runMany } from './many/many.js';
import { Tally, wordsOf } from './many/tally.js';
import { lineOf, measured } from './many/told-world.js';
import { type Options, readOptions, USAGE } from './options.js';
import type { Listening, Plan, Result } from './run.js';

// The stand-ins come first.
const { run } = await import('./run.js');
const { shrink } = await import('./shrink.js');
const { checkKept, recordKept } = await import('./kept.js');

/** Reads the command line, or ends the process with what is wrong in it. */
function optionsOrEnd(): Options {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options !== undefined) return options;
    process.stdout.write(`${USAGE}\n`);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nnpm run sim -- --help lists the options.\n`);
    process.exit(2);
  }
}

const options = optionsOrEnd();
// Whoever reads the output may have read enough: `--replay | head`.
process.stdout.on('error', () => process.exit());

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** In seconds of the world. */
function tell({ at, who, what }: Told): void {
  say(`${(at / 1_000).toFixed(3).padStart(11)} ${who}: ${what}`);
}

function planOf(seed: number): Plan {
  const { commands, hours, form } = options;
  return { seed: String(seed), commands, hours, form };
}

/** How to run a world again, on the same build. */
function againWords({ seed, commands, hours }: Plan, form: string | undefined): string {
  const ofForm = form === undefined ? '' : ` --form ${form}`;
  return `Again, on the same build: npm run sim -- --seed ${seed} --commands ${commands} --hours ${hours}${ofForm} --shrink`;
}

/** What hears a world besides its summary. */
const logging: Pick<Listening, 'logged'> = options.log ? { logged: (line) => void process.stdout.write(line) } : {};

/** Runs one seed in this process. @returns whether nothing was wrong, and whether somebody ends the whole run */
async function runOne(seed: number): Promise<{ readonly isGood: boolean; readonly isOver: boolean }> {
  const plan = planOf(seed);
  const [told, result] = await measured(plan, () =>
    run(plan, { ...(options.replay ? { told: tell } : {}), ...logging }),
  );
  say(lineOf(told));
  if (result.failure === undefined) return { isGood: true, isOver: false };
  if (options.shrink) return { isGood: false, isOver: await shrinkHere(plan, result) };
  say(againWords(plan, told.form));
  return { isGood: false, isOver: false };
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

/**
 * Looks for the shortest plan that fails so, for some minutes or until somebody presses Ctrl-C, and tells its story.
 * @returns whether somebody pressed it
 */
async function shrinkHere(plan: Plan, failed: Result): Promise<boolean> {
  const interrupt = awaitInterrupt(
    'Ends after this world, and tells the shortest so far; Ctrl-C again ends it at once.',
  );
  const until = performance.now() + options.shrinkMinutes * 60_000;
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
  await run(shrunk.plan, { told: tell, ...logging });
  say(`\nSo it fails: ${String(result.failure?.stack)}`);
  return interrupt.came;
}

/** The seeds of this call, one after another. */
function* seeds(): Generator<number, undefined> {
  const { seed, minutes } = options;
  const until = minutes === undefined ? Infinity : performance.now() + minutes * 60_000;
  const most = minutes === undefined ? options.seeds : Infinity;
  for (let index = 0; index < most && performance.now() < until; index += 1) yield seed + index;
  return undefined;
}

/** Runs the seeds here, for people who look closely. */
async function runHere(): Promise<void> {
  for (const seed of seeds()) {
    const { isGood, isOver } = await runOne(seed);
    if (isGood) continue;
    process.exitCode = 1;
    if (isOver || options.untilFailure) return;
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
    if (options.untilFailure && process.exitCode === 1) return undefined;
    const seed = waiting.next().value;
    return seed === undefined ? undefined : planOf(seed);
  };
  const jobs = Math.min(options.jobs, availableParallelism() * 2);
  await runMany(jobs, next, (world) => {
    if (world.failure !== undefined) process.exitCode = 1;
    tally.take(world);
    say(lineOf(world));
    if (world.failure !== undefined) say(againWords(planOf(Number(world.seed)), world.form));
  });
  interrupt.ignore();
  const summary = tally.summary();
  say(wordsOf(summary));
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(summary, null, 2)}\n`);
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

if (options.record) await recordKept();
else if (options.kept) await runKept();
else if (options.isMany) await runInJobs();
else await runHere();
