import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Ran, runCommand } from './command.js';

export type { Ran } from './command.js';

const HOLDFAST = 'apps/ops/holdfast.js';

/** A command of the command line in a process of its own. */
export interface RunningCommand {
  readonly child: ChildProcess;
  /** What it has printed until now. */
  readonly printed: { out: string; err: string };
  readonly ended: Promise<Ran>;
}

/** Starts `holdfast …`. @param env its whole environment except PATH */
export function startHoldfast(args: readonly string[], env: Readonly<Record<string, string>>): RunningCommand {
  const child = spawn(process.execPath, [resolve('dist', HOLDFAST), ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { out: '', err: '' };
  child.stdout.on('data', (piece: Buffer) => (printed.out += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (printed.err += piece.toString()));
  const ended = new Promise<Ran>((done) => child.once('close', (code) => done({ code, ...printed })));
  return { child, printed, ended };
}

/** Runs `holdfast …` to its end, in a process that may have run other programs. */
export function holdfast(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  return runCommand(HOLDFAST, args, env);
}

/** The options of a restore of a folder whose master key is in a file, and of which nobody was erased. */
export const plainly = (dataDir: string): readonly string[] => [
  '--erasures',
  'none',
  '--master-key-file',
  join(dataDir, 'master.key'),
];

/** The files of a backup that its manifest names, by their paths. */
export function filesOf(backup: string): readonly string[] {
  return readdirSync(backup, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'lock.db')
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
