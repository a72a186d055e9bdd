/**
 * `node scripts/compile.mjs [TSCONFIG]`: compiles all sources to `dist/`. The compiler is a native program, which does not notice the end of the process that started
 * it: this process does (`end-with-parent.mjs`), and ends it.
 */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const tsc = fileURLToPath(new URL('../node_modules/typescript-7/bin/tsc', import.meta.url));
// One thread: it needs a third of the CPU time of several, and takes no longer on few cores.
const [config = 'tsconfig.json'] = process.argv.slice(2);
const compiler = spawn(process.execPath, [tsc, '-p', config, '--singleThreaded'], { stdio: 'inherit' });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => compiler.kill('SIGKILL'));
compiler.on('exit', (code) => process.exit(code ?? 1));
