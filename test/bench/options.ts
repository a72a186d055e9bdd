import { parseArgs } from 'node:util';
import { ROW_IDS, ROWS, specOf, type RowId } from './rows.table.js';

/** What the command line asks for. */
export interface Options {
  readonly rows: readonly RowId[];
  /** Counted turns of each server. */
  readonly turns: number;
  /** Turns before the first that counts. */
  readonly warmUps: number;
  /** Of one turn. */
  readonly seconds: number;
  readonly connections: number;
  /** The size of the data folders; 1 for the sizes that the rows name. */
  readonly scale: number;
  /** Where data of this run and profiles go. */
  readonly folder: string;
  /** On EventStoreDB, MongoDB and Redis, with so many APIs; undefined: one process on the embedded engines. */
  readonly cluster: { readonly apis: number } | undefined;
  readonly profile: boolean;
  readonly json: boolean;
  /** Results to make the tables of BENCHMARKS.md from, instead of a run. */
  readonly table: readonly string[];
  /** Results to print all rows of, instead of a run. */
  readonly show: readonly string[];
}

/** With fewer turns, the first counted ones are still slow, and more so for the larger program. */
const WARM_UPS = 2;
const QUICK = { turns: 1, warmUps: 1, seconds: 0.3, scale: 0.1 };

/** What `--help` prints. */
export const USAGE = `npm run bench -- [options]

Measures Holdfast against bare servers, turn by turn, and prints a table; test/bench/README.md describes the rows.

  --row NAME          only this row; may be repeated. Names: ${ROW_IDS.join(', ')}
  --large             the rows that need large data folders too: making them takes minutes, once
  --quick             one short turn per row, with smaller data folders: about a minute
  --turns 5           counted turns per row and server
  --seconds 2         the length of a turn
  --connections 64
  --scale 1           the size of the data folders
  --cluster           on the servers of EVENTSTORE_URL, MONGODB_URL and REDIS_URL, or on what the tests use instead
  --apis 1            with --cluster: the number of API processes; one worker runs beside them
  --profile           a CPU profile of most rows, per thread: the most expensive functions, and files for DevTools
  --json              prints the run as JSON
  --show FILE         prints all rows from the JSON of runs; may be repeated, and measures nothing
  --table FILE        the same, but writes the rows that matter into BENCHMARKS.md
  --folder dist       where data of this run and profiles go`;

/** Reads the command line. @throws Error with a message for whoever wrote it; undefined: they want help */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      row: { type: 'string', multiple: true },
      large: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      turns: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string', default: '64' },
      scale: { type: 'string' },
      cluster: { type: 'boolean', default: false },
      apis: { type: 'string' },
      profile: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      table: { type: 'string', multiple: true, default: [] },
      show: { type: 'string', multiple: true, default: [] },
      folder: { type: 'string', default: 'dist' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  if (values.apis !== undefined && !values.cluster) throw new Error('--apis needs --cluster');
  const usual = values.quick ? QUICK : { turns: 5, warmUps: WARM_UPS, seconds: 2, scale: 1 };
  const runs = (row: RowId): boolean => {
    const { large = false, cluster = 'no' } = specOf(row);
    return values.cluster ? cluster !== 'no' : cluster !== 'only' && (values.large || !large);
  };
  return {
    rows: values.row?.map((name) => rowOf(name, values.cluster)) ?? ROW_IDS.filter(runs),
    turns: positive('turns', values.turns, usual.turns),
    warmUps: usual.warmUps,
    seconds: positive('seconds', values.seconds, usual.seconds),
    connections: positive('connections', values.connections, 64),
    scale: positive('scale', values.scale, usual.scale),
    folder: values.folder,
    cluster: values.cluster ? { apis: whole('apis', values.apis, 1) } : undefined,
    profile: values.profile,
    json: values.json,
    table: values.table,
    show: values.show,
  };
}

function rowOf(name: string, inCluster: boolean): RowId {
  if (!Object.hasOwn(ROWS, name)) throw new Error(`there is no row ${name}: the rows are ${ROW_IDS.join(', ')}`);
  const row = name as RowId;
  const { cluster = 'no' } = specOf(row);
  if (inCluster && cluster === 'no') throw new Error(`the row ${row} cannot be measured with --cluster`);
  if (!inCluster && cluster === 'only') throw new Error(`the row ${row} needs --cluster`);
  return row;
}

function whole(name: string, given: string | undefined, usual: number): number {
  const number = positive(name, given, usual);
  if (!Number.isInteger(number)) throw new Error(`--${name} must be a whole number, not ${given}`);
  return number;
}

function positive(name: string, given: string | undefined, usual: number): number {
  if (given === undefined) return usual;
  const number = Number(given);
  if (!(number > 0)) throw new Error(`--${name} must be a number above 0, not ${given}`);
  return number;
}
