import { once } from 'node:events';
import { resolve } from 'node:path';
import { giveBack, hostFor, readToEnd } from './hosts.js';

/** What a command printed, and how it ended. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a command to its end, in a process that may have run other programs. It cannot read a standard input.
 * @param main its file under dist/
 * @param env its whole environment except PATH
 */
export async function runCommand(
  main: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const host = hostFor({ main: resolve('dist', main), args, env: { PATH: process.env['PATH'], ...env } });
  const { child } = host;
  const printed = { out: '', err: '' };
  const codes = Promise.all([
    readToEnd(child.stdout, (text) => (printed.out += text)),
    readToEnd(child.stderr, (text) => (printed.err += text)),
  ]);
  const code = await Promise.race([codes.then(([first]) => first), once(child, 'exit').then(() => undefined)]);
  if (code === undefined) return { code: child.exitCode, ...printed };
  giveBack(host);
  return { code, ...printed };
}
