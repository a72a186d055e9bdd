import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readOptions } from './options.js';

const asked = (line: string): ReturnType<typeof readOptions> => readOptions(line === '' ? [] : line.split(' '));

describe('the options of the simulator', () => {
  it('run one world of the first seed by default', () => {
    expect(asked('')).toMatchObject({ seed: 1, seeds: 1, jobs: 1, commands: 2000, hours: 4, isMany: false });
    expect(asked('--help')).toBeUndefined();
  });

  it.each([
    ['--seed 7 --seeds 100 --jobs 2', { seed: 7, seeds: 100, jobs: 2, isMany: true }],
    ['--minutes 0.5', { minutes: 0.5, isMany: true }],
    ['--seeds 3 --shrink --shrink-minutes 1', { seeds: 3, shrink: true, shrinkMinutes: 1, isMany: false }],
    ['--form mixed --commands 0', { form: 'mixed', commands: 0 }],
  ])('read %s', (line, options) => {
    expect(asked(line)).toMatchObject(options);
  });

  it.each([
    ['--seed abc', '--seed must be a whole number from 0 to 9007199254740991, not "abc"'],
    ['--seed 1.5', '--seed must be a whole number'],
    ['--seed=', '--seed must be a whole number'],
    ['--seed 9007199254740993', '--seed must be a whole number'],
    ['--seeds 0', '--seeds must be a whole number from 1'],
    ['--jobs 0', '--jobs must be a whole number from 1'],
    ['--commands x', '--commands must be a whole number'],
    ['--hours x', '--hours must be a number above 0'],
    ['--minutes 0', '--minutes must be a number above 0'],
    ['--form nonsense', '--form must be one of whole, mixed, cluster, not "nonsense"'],
    ['--shrink --jobs 2', 'leave out --jobs and --json'],
    [`--json ${join(tmpdir(), 'no such folder', 'x.json').replaceAll(' ', '-')}`, '--json: ENOENT'],
    ['--bogus', '--bogus'],
    ['stray', 'stray'],
  ])('refuse %s', (line, words) => {
    expect(() => asked(line)).toThrow(words);
  });
});
