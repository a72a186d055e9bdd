/**
 * Jest runs the compiled specs in `dist`, with the Node of the project and with ES modules. Whoever starts Jest in another way, such as
 * `npx jest` or an editor, gets the same: this file then starts it again, after a build, through `scripts/jest.mjs`.
 */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

if (!process.execArgv.includes('--experimental-vm-modules')) {
  const script = (name) => fileURLToPath(new URL(`scripts/${name}`, import.meta.url));
  const args = [script('run.mjs'), script('jest.mjs'), ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  process.exit(status ?? 1);
}

export default {
  roots: ['<rootDir>/dist'],
  testMatch: ['**/*.spec.js'],
  transform: {},
  injectGlobals: false,
  testEnvironment: '<rootDir>/scripts/jest-environment.mjs',
  cacheDirectory: '<rootDir>/dist/.jest',
  testTimeout: 600_000,
  // A worker that has loaded hundreds of specs frees more than a gigabyte when it ends. One that never ends is still reported.
  workerGracefulExitTimeout: 20_000,
  testSequencer: '<rootDir>/scripts/slow-first.mjs',
};
