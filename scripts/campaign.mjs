/**
 * `node scripts/campaign.mjs NAME=VALUE… PATTERN…`: runs the matching specs in the size that the variables set, and prints
 * their counts. `npm test` runs a small version of the same specs.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { jestArguments } from './jest-arguments.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isVariable = (argument) => /^[A-Z_]+=/.test(argument);
const args = process.argv.slice(2);
const variables = args.filter(isVariable).map((each) => each.split('=', 2));
const env = { ...Object.fromEntries(variables), ...process.env };
const jest = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  join(root, 'node_modules/jest/bin/jest.js'),
  '--runInBand',
  '--verbose',
  ...jestArguments(args.filter((argument) => !isVariable(argument))),
];
const child = spawn(process.execPath, jest, { cwd: root, env, stdio: 'inherit' });
child.on('exit', (code) => process.exit(code ?? 1));
