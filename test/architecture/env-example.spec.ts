import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const EXAMPLE = readFileSync('.env.example', 'utf8');
const NAME = /^#?([A-Z][A-Z0-9_]*)=/;

/** With the variables that are commented out, too. */
const WHOLE = EXAMPLE.split('\n')
  .map((line) => (NAME.test(line) ? line.replace(/^#/, '') : line))
  .join('\n');

describe('.env.example', () => {
  // A range behind a comma and a blank was taken for a command.
  it.each([
    ['as it is', EXAMPLE],
    ['with every variable set', WHOLE],
  ])('%s is a file that a shell reads without a word, as Node and compose read it', (_, text) => {
    const shell = spawnSync('sh', ['-eu', '-c', 'set -a; eval "$(cat)"; env -0'], {
      input: text,
      env: { PATH: process.env['PATH'] },
      encoding: 'utf8',
    });
    expect([shell.status, shell.stderr]).toEqual([0, '']);
    const set = Object.fromEntries(shell.stdout.split('\0').map((each) => each.split(/=([^]*)/, 2)));
    expect(set).toMatchObject(parseEnv(text));
  });

  it('leaves PORT to each process: a worker takes any free one', () => {
    expect(parseEnv(EXAMPLE)).not.toHaveProperty('PORT');
  });
});
