import { closeSync, openSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Form } from './run.js';

/** What the command line asks for. */
export interface Options {
  readonly seed: number;
  readonly seeds: number;
  /** undefined: as many seeds as `seeds` says. */
  readonly minutes: number | undefined;
  readonly jobs: number;
  readonly commands: number;
  /** Of the world. */
  readonly hours: number;
  /** undefined: the seed chooses. */
  readonly form: Form | undefined;
  readonly shrink: boolean;
  readonly shrinkMinutes: number;
  readonly untilFailure: boolean;
  readonly kept: boolean;
  readonly record: boolean;
  readonly replay: boolean;
  readonly log: boolean;
  readonly json: string | undefined;
  /** Whether worlds run in other processes, with a summary. */
  readonly isMany: boolean;
}

/** What `--help` prints. */
export const USAGE = `npm run sim -- --seed 7 [--seeds 100] [--commands 2000] [--hours 4] [--jobs 2] [--minutes 120] [--shrink] [--replay] [--log]

Runs the product in a simulated world: all of its processes in this one, under a virtual clock, with everything around them that
fails. The same seed gives the same world.

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

const FORMS: Readonly<Record<Form, true>> = { whole: true, mixed: true, cluster: true };

/** The largest value of each number. */
const MOST = {
  seed: Number.MAX_SAFE_INTEGER,
  seeds: 1_000_000,
  minutes: 10_000,
  jobs: 64,
  commands: 1_000_000,
  hours: 10_000,
  'shrink-minutes': 10_000,
} as const;

/** Reads the command line. @throws Error in words for whoever wrote it; undefined: they want help */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string' },
      minutes: { type: 'string' },
      jobs: { type: 'string' },
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
  if (values.help) return undefined;
  const { shrink, kept, record, replay, log, json, jobs = '1', seeds = '1', minutes } = values;
  const isHere = shrink || replay || log;
  if (isHere && (values.jobs !== undefined || json !== undefined))
    throw new Error('--shrink, --replay and --log run the worlds in this process: leave out --jobs and --json');
  const options = {
    seed: whole('seed', values.seed, 0),
    seeds: whole('seeds', seeds, 1),
    minutes: minutes === undefined ? undefined : above0('minutes', minutes),
    jobs: whole('jobs', jobs, 1),
    commands: whole('commands', values.commands, 0),
    hours: above0('hours', values.hours),
    form: formOf(values.form),
    shrinkMinutes: above0('shrink-minutes', values['shrink-minutes']),
  };
  if (json !== undefined) mustBeWritable(json);
  const isMany = !isHere && (options.seeds > 1 || minutes !== undefined || json !== undefined);
  return { ...options, shrink, untilFailure: values['until-failure'], kept, record, replay, log, json, isMany };
}

function whole(name: keyof typeof MOST, text: string, least: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > MOST[name])
    throw new Error(`--${name} must be a whole number from ${least} to ${MOST[name]}, not "${text}"`);
  return value;
}

function above0(name: keyof typeof MOST, text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value <= 0 || value > MOST[name])
    throw new Error(`--${name} must be a number above 0, at most ${MOST[name]}, not "${text}"`);
  return value;
}

function formOf(text: string | undefined): Form | undefined {
  if (text === undefined || Object.hasOwn(FORMS, text)) return text as Form | undefined;
  throw new Error(`--form must be one of ${Object.keys(FORMS).join(', ')}, not "${text}"`);
}

/** A summary that cannot be written would be missed only after hours. */
function mustBeWritable(file: string): void {
  try {
    closeSync(openSync(file, 'a'));
  } catch (error) {
    throw new Error(`--json: ${(error as Error).message}`, { cause: error });
  }
}
