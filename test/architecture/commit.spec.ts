import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tempFolder } from '../support/temp-folder.js';

const { commitOf } = (await import(pathToFileURL(resolve('scripts', 'commit.mjs')).href)) as {
  commitOf(folder: string, environment?: Readonly<Record<string, string>>): string;
};

let folder: ReturnType<typeof tempFolder>;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => folder.remove());

/** Runs git in the folder, without the settings of whoever runs the test. */
function git(...args: string[]): string {
  const { stdout, status, stderr } = spawnSync('git', args, {
    cwd: folder.path,
    encoding: 'utf8',
    env: {
      ...process.env,
      GIT_CONFIG_GLOBAL: '',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b.example',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b.example',
    },
  });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  return stdout.trim();
}

/** Only who works on Holdfast needs git. */
const describeWithGit = spawnSync('git', ['--version']).status === 0 ? describe : describe.skip;

describeWithGit('the commit that a build names', () => {
  beforeEach(() => {
    git('init', '--quiet');
    writeFileSync(join(folder.path, 'a'), 'one');
    git('add', 'a');
    git('commit', '--quiet', '--message', 'one');
  });

  it('is that of the sources, even if a tag names it', () => {
    git('tag', '--annotate', '--message', 'one', 'v1');
    expect(commitOf(folder.path, {})).toBe(git('rev-parse', '--short=12', 'HEAD'));
  });

  it('says that the sources differ from it', () => {
    appendFileSync(join(folder.path, 'a'), 'two');
    expect(commitOf(folder.path, {})).toBe(`${git('rev-parse', '--short=12', 'HEAD')}-dirty`);
  });

  it('is unknown in a folder without .git, also inside another repository', () => {
    const inside = join(folder.path, 'inside');
    mkdirSync(inside);
    expect(commitOf(inside, {})).toBe('unknown');
  });

  it('is what COMMIT names, if it is set', () => {
    expect(commitOf(folder.path, { COMMIT: '' })).toMatch(/^[0-9a-f]{12}$/);
    expect(commitOf(folder.path, { COMMIT: 'abc-1' })).toBe('abc-1');
    for (const COMMIT of ['two words', 'x'.repeat(61)])
      expect(() => commitOf(folder.path, { COMMIT })).toThrow('COMMIT must have');
  });
});
