import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Name } from './peer.ts';
import { PEERS } from './peers.ts';

/** What the command line asks for. */
export interface Options {
  readonly peers: readonly Name[];
  /** Counted turns of each peer. */
  readonly turns: number;
  /** Of one turn. */
  readonly seconds: number;
  /** Of the catalogue. */
  readonly items: number;
  /** Where data go: on a disk. */
  readonly folder: string;
  readonly json: boolean;
  /** The result of a run to write the table of BENCHMARKS.md from, instead of a run. */
  readonly table: string | undefined;
  /** The result of a run to print in full, instead of a run. */
  readonly show: string | undefined;
}

const NAMES = Object.keys(PEERS) as Name[];
/** By custom on a disk, where the folder of temporary files may be in memory. */
const ON_DISK = '/var/tmp';

export const USAGE = `npm start -- [options]

Measures Holdfast side by side with what a user would pick instead, turn by turn, and prints a table; README.md says what each does.

  --peer NAME         only this peer, beside Holdfast; may be repeated. Names: ${NAMES.join(', ')}
  --quick             one short turn each, with a small catalogue
  --turns 5           counted turns of each
  --seconds 3         the length of a turn
  --json              prints the run as JSON
  --show FILE         prints all figures from the JSON of a run, and measures nothing
  --table FILE        the same, but writes a summary into BENCHMARKS.md
  --folder DIR        where data go: a folder on a disk, ${ON_DISK} if there is one`;

/** Reads the command line. @throws Error with a message for whoever wrote it; undefined: they want help */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peer: { type: 'string', multiple: true },
      quick: { type: 'boolean', default: false },
      turns: { type: 'string' },
      seconds: { type: 'string' },
      json: { type: 'boolean', default: false },
      table: { type: 'string' },
      show: { type: 'string' },
      folder: { type: 'string', default: existsSync(ON_DISK) ? ON_DISK : tmpdir() },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const usual = values.quick ? { turns: 1, seconds: 0.5, items: 500 } : { turns: 5, seconds: 3, items: 10_000 };
  const asked = new Set(values.peer?.map(nameOf) ?? NAMES);
  return {
    // Holdfast makes the catalogue for the others.
    peers: NAMES.filter((name) => name === 'holdfast' || asked.has(name)),
    turns: positive('turns', values.turns, usual.turns),
    seconds: positive('seconds', values.seconds, usual.seconds),
    items: usual.items,
    folder: resolve(values.folder),
    json: values.json,
    table: values.table === undefined ? undefined : resolve(values.table),
    show: values.show === undefined ? undefined : resolve(values.show),
  };
}

function nameOf(name: string): Name {
  if (!Object.hasOwn(PEERS, name)) throw new Error(`there is no peer ${name}: the peers are ${NAMES.join(', ')}`);
  return name as Name;
}

function positive(name: string, given: string | undefined, usual: number): number {
  if (given === undefined) return usual;
  const number = Number(given);
  if (!(number > 0)) throw new Error(`--${name} must be a number above 0, not ${given}`);
  return number;
}
