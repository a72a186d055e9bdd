import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** Another version of Node, in `.ci/run`: the worlds must be the same there. */
const OTHER_NODE = process.env['OTHER_NODE'] ?? '';

const simulator = resolve('dist/test/sim/main.js');

/** Runs the simulator in a process of its own. */
async function simulate(node: string, ...options: string[]): Promise<{ readonly code: unknown; readonly out: string }> {
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', simulator, ...options]);
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (out += data.toString()));
  const [code] = (await once(child, 'close')) as [unknown];
  return { code, out };
}

/** How the simulator ends if nothing is wrong; a failure shows what it prints of the worlds that are. */
const FINE = { code: 0, out: expect.not.stringMatching(/^seed \d+ (fails|makes another world)/m) };

describe('simulated worlds', () => {
  it('of the kept seeds are the recorded ones, and nothing is wrong in them', async () => {
    expect(await simulate(process.execPath, '--kept')).toEqual(FINE);
  });

  (existsSync(OTHER_NODE) ? it : it.skip)(
    'are the same on another version of Node',
    async () => {
      expect(await simulate(OTHER_NODE, '--kept')).toEqual(FINE);
    },
    300_000,
  );

  it('that go wrong are told of, with the seed', async () => {
    const { code, out } = await simulate(process.execPath, '--seed', '1', '--commands', '50', '--hours', '0.001');
    expect({ code, out }).toEqual({
      code: 1,
      out: expect.stringMatching(/^seed 1: .*FAILED: after 3600 ms of the world/),
    });
  });
});
