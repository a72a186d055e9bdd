/**
 * Writes `dist/build.json`, from which a running service knows its commit. `COMMIT` in the environment names it for builds without
 * a `.git`, such as that of the image; with neither, it is `unknown`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** What a commit is called: every log line has it, so it is short. */
const NAME = /^[\w.+-]{1,60}$/;

/**
 * The commit of the sources in a folder, with `-dirty` if they differ from it.
 * @throws Error if `COMMIT` is not the name of a commit
 */
export function commitOf(folder, { COMMIT: named = '' } = process.env) {
  if (named !== '') {
    if (!NAME.test(named)) throw new Error('COMMIT must have 1 to 60 letters, digits or any of . _ + -');
    return named;
  }
  // Without this, the commit of a repository around the folder would count.
  if (!existsSync(join(folder, '.git'))) return 'unknown';
  const git = spawnSync('git', ['describe', '--always', '--exclude=*', '--abbrev=12', '--dirty'], {
    cwd: folder,
    encoding: 'utf8',
    // A build must not make another git wait for the index.
    env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' },
  });
  return git.status === 0 ? git.stdout.trim() : 'unknown';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  writeFileSync(join(root, 'dist', 'build.json'), `${JSON.stringify({ commit: commitOf(root) })}\n`);
}
