import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';

it.each(['api', 'worker'])('%s --help prints what the program takes and starts nothing', (program) => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-help-'));
  const main = resolve('dist/apps', program, 'main.js');
  for (const option of ['--help', '-h']) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, option], {
      cwd: folder,
      env: { PATH: process.env['PATH'], PORT: '0' },
      encoding: 'utf8',
      timeout: 120_000,
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('.env.example names every variable');
  }
  expect(existsSync(join(folder, 'data'))).toBe(false);
  rmSync(folder, { recursive: true });
});
