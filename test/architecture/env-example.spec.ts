import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const EXAMPLE = readFileSync('.env.example', 'utf8');
const NAME = /^#?([A-Z][A-Z0-9_]*)=/;

/** The example with its commented-out variables set, too. */
const WHOLE = EXAMPLE.split('\n')
  .map((line) => (NAME.test(line) ? line.replace(/^#/, '') : line))
  .join('\n');

describe('.env.example', () => {
  // A shell once took a range behind a comma and a blank for a command.
  it.each([
    ['as it is', EXAMPLE],
    ['with every variable set', WHOLE],
  ])('%s: a shell reads the file without errors, and with the same values as Node and Docker Compose', (_, text) => {
    const shell = spawnSync('sh', ['-eu', '-c', 'set -a; eval "$(cat)"; env -0'], {
      input: text,
      env: { PATH: process.env['PATH'] },
      encoding: 'utf8',
    });
    expect([shell.status, shell.stderr]).toEqual([0, '']);
    const set = Object.fromEntries(shell.stdout.split('\0').map((each) => each.split(/=([^]*)/, 2)));
    expect(set).toMatchObject(parseEnv(text));
  });

  it('leaves PORT unset, so that each worker takes a free port', () => {
    expect(parseEnv(EXAMPLE)).not.toHaveProperty('PORT');
  });
});
