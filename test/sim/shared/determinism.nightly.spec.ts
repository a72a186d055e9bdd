import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect, it } from '@jest/globals';

/** What the simulator says of some worlds of several processes, without how long it took. */
async function simulate(): Promise<string> {
  const options = ['--seed', '1', '--seeds', '2', '--commands', '20', '--form', 'cluster'];
  const child = spawn(process.execPath, [resolve('dist/test/sim/main.js'), ...options]);
  let out = '';
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  await once(child, 'close');
  const worlds = out.split('\n').filter((line) => line.startsWith('seed '));
  return worlds.join('\n').replaceAll(/ in [\d.]+ s/g, '');
}

it('a world of several processes follows from its seed alone', async () => {
  const first = await simulate();
  expect(first.match(/^seed \d+: [0-9a-f]{16}, \d+ steps/gm)).toHaveLength(2);
  expect(first).not.toContain('FAILED');
  expect(await simulate()).toBe(first);
}, 400_000);
