import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Run } from './result.js';

/** Turns so short that nothing is measured: this shows that the rows of each kind still work. */
const SHORT = ['--scale', '0.002', '--turns', '1', '--seconds', '0.1', '--connections', '4'];
const ROWS = ['append', 'claim', 'v3-region'];

describe('the benchmark', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-spec-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const bench = (...args: string[]) =>
    promisify(execFile)(process.execPath, [resolve('dist/test/bench/main.js'), '--folder', folder, ...args], {
      env: { PATH: process.env['PATH'], HOME: folder },
    });

  it('measures rows of every kind against the real service, and leaves no data', async () => {
    const { stdout } = await bench(...SHORT, '--json', ...ROWS.flatMap((row) => ['--row', row]));
    const { lines } = JSON.parse(stdout) as Run;
    expect(lines.map(({ row }) => row)).toEqual(ROWS);
    for (const { row, figure, failed } of lines)
      expect([row, failed, (figure?.median ?? 0) > 0]).toEqual([row, undefined, true]);
    const [, claim] = lines;
    expect(claim?.sides?.map(({ name, rate }) => [name, rate > 0])).toEqual([
      ['Holdfast', true],
      ['bare', true],
    ]);
  });

  it('prints what it has measured when it is interrupted', async () => {
    const measuring = bench(...SHORT, '--seconds', '600', '--json', '--row', 'append', '--row', 'reserve');
    measuring.child.stderr?.on('data', (text) => {
      if (String(text).includes('preparing')) measuring.child.kill('SIGINT');
    });
    const { code, stdout } = (await measuring.catch((error: unknown) => error)) as { code: number; stdout: string };
    expect(code).toBe(130);
    expect((JSON.parse(stdout) as Run).lines.map(({ row, failed }) => [row, failed])).toEqual([['append', undefined]]);
  });

  // npm prints the name of the script before its output.
  it('refuses a table of a file that is no run, and says how to make one', async () => {
    const file = join(folder, 'run.json');
    writeFileSync(file, '> holdfast@0.1.0 bench\n{}');
    await expect(bench('--table', file)).rejects.toThrow('make it with: npm run --silent bench');
  });

  it('refuses a row that it does not have, and a number that is none', async () => {
    await expect(bench('--row', 'fastest')).rejects.toThrow('there is no row fastest');
    await expect(bench('--turns', 'many')).rejects.toThrow('--turns must be a number above 0');
  });
});
