/** `node scripts/jest.mjs ARGUMENT…`: Jest with the specs of the built tree. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { jestArguments, root } from './jest-arguments.mjs';

const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const jest = join(root, 'node_modules/jest/bin/jest.js');
const args = [...flags, jest, ...jestArguments(process.argv.slice(2))];
const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
