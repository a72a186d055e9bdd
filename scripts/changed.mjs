/** Finds what `npm test -- --changed` checks: the files that differ from a commit, and the quick specs that import them. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const run = (program, args) =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'inherit'] })
    .split('\n')
    .filter((line) => line !== '');

/** Folders whose specs start whole processes and take minutes. */
const SLOW = /^dist\/(test\/(scenarios|ownership|golden|interface|campaigns)|libs\/adapters)\//;

/** Specs that have commands of their own (test.mjs). */
export const OTHER_KINDS = /\.(world|nightly)\.spec\.js$/;

/** The existing files that differ from this commit, and those that git does not know yet, as paths from the root. */
export function changedFiles(commit) {
  const differing = run('git', ['diff', '--name-only', '--relative', '--diff-filter=d', commit]);
  return [...differing, ...run('git', ['ls-files', '--others', '--exclude-standard'])];
}

/**
 * The compiled specs that import one of the files, directly or indirectly. It leaves out specs that start processes, unless
 * they changed themselves, and prints how many.
 */
export function quickSpecsOf(files) {
  const compiled = files
    .filter((file) => /^(apps|libs|test)\/.*\.ts$/.test(file))
    .map((file) => join('dist', file.replace(/\.ts$/, '.js')))
    .filter((file) => existsSync(join(root, file)));
  if (compiled.length === 0) return [];
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const reached = run(process.execPath, [...flags, jest, '--listTests', '--findRelatedTests', ...compiled]).map(
    (path) => relative(root, path),
  );
  const quick = reached.filter((spec) => !(SLOW.test(spec) || OTHER_KINDS.test(spec)) || compiled.includes(spec));
  const left = reached.length - quick.length;
  if (left > 0)
    console.log(
      `${left} more specs import the changed files, but start processes, or have commands of their own: npm test, test:world and test:nightly run them.`,
    );
  return quick;
}
