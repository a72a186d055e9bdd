import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { patience, size } from '../size.js';
import { Figures } from './figures.js';

const SALES = size('SCALE', 2_000);
const IN_FULL = process.env['SCALE'] !== undefined;
const MEBIBYTE = 1024 * 1024;
const figures = new Figures('SCALE');

/** Bytes of the state of a deal after so many sales. */
async function stateAfter(sales: number, buyers: number, each: number): Promise<number> {
  const child = resolve('dist/test/campaigns/scale/heap.child.js');
  const args = ['--expose-gc', '--disable-warning=ExperimentalWarning', child, ...[sales, buyers, each].map(String)];
  const running = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  running.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await once(running, 'close');
  const { bytes, sold } = JSON.parse(printed) as { bytes: number; sold: number };
  expect(sold).toBe(sales);
  return bytes;
}

describe(`the state of a deal with ${SALES} sales`, () => {
  it.each([
    { what: '10000 buyers', buyers: Math.min(10_000, SALES), each: 0, ceiling: 4, goal: 1 },
    { what: 'each to another buyer, max_per_user 1', buyers: SALES, each: 1, ceiling: 32, goal: 16 },
  ])(
    'stays small: $what',
    async ({ what, buyers, each, ceiling, goal }) => {
      const bytes = await stateAfter(SALES, buyers, each);
      expect(bytes).toBeGreaterThan(0);
      const value = bytes / MEBIBYTE;
      figures.add({ name: `heap of the state, ${SALES} sales, ${what}`, value, unit: 'MiB', ceiling, goal });
    },
    patience(SALES, 2),
  );

  (IN_FULL ? it : it.skip)('keeps to the ceilings', () => {
    figures.expectAllWithin();
  });
});
