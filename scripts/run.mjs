/**
 * `node scripts/run.mjs [--no-build] [FILE [ARGUMENT…]]`: makes the tree ready, then runs the file; with `--no-build`, the file
 * itself builds. The npm scripts begin with it. They have no `pre` steps, because npm skips those with `ignore-scripts`; and a
 * shell remembers the Node of its first command, even if npm has meanwhile put another one first on the path.
 */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { endWith, startedByNpm } from './end-with.mjs';
import { NotReady, prepare } from './prepare.mjs';

/**
 * Milliseconds to wait before SIGINT is passed on at a terminal. There, Ctrl-C reaches the child directly, and a second signal
 * may mean "stop immediately".
 */
const AFTER_CTRL_C = 1_000;

/** Runs the file in a Node of the right version, passes signals on to it, and ends with its exit code. */
function runWith(node, args) {
  const withThis = new URL('./end-with-parent.mjs', import.meta.url).href;
  const child = spawn(node, ['--import', withThis, ...args], { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.on('SIGINT', () => setTimeout(() => child.kill('SIGINT'), process.stdin.isTTY ? AFTER_CTRL_C : 0));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

const builds = process.argv[2] !== '--no-build';
const [file, ...args] = process.argv.slice(builds ? 2 : 3);
try {
  const npm = startedByNpm();
  const node = prepare(builds);
  endWith(npm);
  if (file !== undefined && node !== process.execPath) runWith(node, [file, ...args]);
  else if (file !== undefined) {
    process.argv.splice(1, Infinity, resolve(file), ...args);
    await import(pathToFileURL(resolve(file)).href);
  }
} catch (error) {
  if (!(error instanceof NotReady)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
