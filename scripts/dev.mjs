/**
 * `npm run dev [-- ARGUMENT…]`: compiles after each change, and then runs the specs that Jest finds by the arguments
 * (`npm run dev -- inventory`); without any, it only compiles. It makes no bundle, which unit specs do not need: the next build does.
 * Its compiler notes what each file declares (tsconfig.dev.json): that takes time once, and spares the check of all files after each
 * change.
 */
import { spawn } from 'node:child_process';
import { rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { clearTimeout, setTimeout } from 'node:timers';
import { root } from './jest-arguments.mjs';

/** Milliseconds without a further change: an editor may write several files. */
const QUIET = 50;

const specs = process.argv.slice(2);
/** The compiler or Jest. */
let running;
let soon;

function run(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
    running = child;
    child.on('exit', (code) => resolve(code === 0 && running === child));
  });
}

async function compileAndTest() {
  if (!(await run([join(root, 'scripts/compile.mjs'), 'tsconfig.dev.json']))) return;
  if (specs.length > 0) await run([join(root, 'scripts/jest.mjs'), ...specs]);
  console.log('Waits for changes (Ctrl-C ends it).');
}

/** Begins anew: what runs now has older files. */
function again() {
  clearTimeout(soon);
  soon = setTimeout(() => {
    running?.kill('SIGTERM');
    void compileAndTest();
  }, QUIET);
}

// From now on, dist/ is not what a build made.
rmSync(join(root, 'dist/.built'), { force: true });
for (const folder of ['apps', 'libs', 'test']) {
  watch(join(root, folder), { recursive: true }, (_, file) => {
    if (file?.endsWith('.ts')) again();
  });
}
console.log('Compiles; the first time takes half a minute …');
again();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    running?.kill('SIGTERM');
    process.exit(0);
  });
}
