import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';

/** The longest time of a world, in its hours: one in which nothing succeeds any more would go on for the whole thousand. */
const HOURS = '3';

/** The worlds that are tried. */
export interface Worlds {
  /** null if each seed chooses. */
  readonly form: string | null;
  /** Operations of each world. */
  readonly commands: number;
  /** The first seed. */
  readonly first: number;
  /** The most seeds. */
  readonly most: number;
}

/** How a planted fault was found. */
export interface Detection {
  /** How many seeds it took; null if none failed because of it. */
  readonly seeds: number | null;
  readonly words: string;
}

/** Lets a seed's world happen. @returns what failed, if anything did */
export type Happen = (seed: number, worlds: Worlds) => Promise<string | undefined>;

/**
 * Looks for the first seed whose world fails because of a fault: it fails with the fault, and does not fail without.
 * @param faulty with the fault
 * @param sound without it
 */
export async function firstCaused(faulty: Happen, sound: Happen, worlds: Worlds): Promise<Detection> {
  for (let tried = 0; tried < worlds.most; tried += 1) {
    const seed = worlds.first + tried;
    const words = await faulty(seed, worlds);
    if (words !== undefined && (await sound(seed, worlds)) === undefined) return { seeds: tried + 1, words };
  }
  return { seeds: null, words: 'NOT FOUND' };
}

/**
 * The worlds of one build, each in a process of its own. Each happens once, however often it is asked for.
 * @param dist the folder of the compiled tree
 */
export function worldOf(dist: string): Happen {
  const known = new Map<string, Promise<string | undefined>>();
  return (seed, { form, commands }) => {
    const name = `${seed} ${form} ${commands}`;
    const before = known.get(name);
    if (before !== undefined) return before;
    const happening = happen(dist, seed, form, commands);
    known.set(name, happening);
    return happening;
  };
}

async function happen(dist: string, seed: number, form: string | null, commands: number): Promise<string | undefined> {
  const plan = ['--seed', String(seed), '--commands', String(commands), '--hours', HOURS];
  const options = form === null ? plan : [...plan, '--form', form];
  const child = spawn(process.execPath, [join(dist, 'test/sim/main.js'), ...options], { cwd: dirname(dist) });
  const said: string[] = [];
  const errors: string[] = [];
  child.stdout.on('data', (data: Buffer) => said.push(data.toString()));
  child.stderr.on('data', (data: Buffer) => errors.push(data.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code === 0) return undefined;
  const failed = /^seed .*, FAILED: (.*)/m.exec(said.join(''))?.[1];
  // Otherwise the simulator itself broke off.
  return failed ?? errors.join('').trim().split('\n').at(-1) ?? `exit code ${String(code)}`;
}
