import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect } from '@jest/globals';

const simulator = resolve('dist/test/sim/main.js');

/** Runs the simulator in a process of its own, on this Node. */
export async function simulate(
  node: string,
  ...options: string[]
): Promise<{ readonly code: unknown; readonly out: string }> {
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', simulator, ...options]);
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (out += data.toString()));
  const [code] = (await once(child, 'close')) as [unknown];
  return { code, out };
}

/** How the simulator ends if nothing is wrong; a failure shows what it prints of the worlds that are. */
export const FINE = { code: 0, out: expect.not.stringMatching(/^seed \d+ (fails|makes another world)/m) };
