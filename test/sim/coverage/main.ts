import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../planted/targets.js';
import { branchesIn } from './branches.js';
import { judge, type Reason } from './reasons.js';

const USAGE = `npm run campaign:coverage -- [--seeds 200] [--jobs 2] [any other option of npm run sim]

Runs simulated worlds, and tells which branches of the command loop, of work and its runners and of the projector no world reached.
Each of these must have a reason in test/sim/coverage/unreached.json, with the spec that reaches it.
`;
const REASONS = join(ROOT, 'test/sim/coverage/unreached.json');

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Runs the worlds. @returns whether nothing failed */
async function runWorlds(folder: string): Promise<boolean> {
  const options = process.argv.length > 2 ? process.argv.slice(2) : ['--seeds', '200', '--jobs', '2'];
  const child = spawn(process.execPath, [join(ROOT, 'dist/test/sim/main.js'), ...options], {
    cwd: ROOT,
    env: { ...process.env, NODE_V8_COVERAGE: folder },
    stdio: 'inherit',
  });
  return (await new Promise((resolve) => child.once('exit', resolve))) === 0;
}

if (process.argv.includes('--help')) print(USAGE);
else {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-coverage-'));
  try {
    const green = await runWorlds(join(folder, 'raw'));
    const reasons = JSON.parse(readFileSync(REASONS, 'utf8')) as readonly Reason[];
    const { lines, isGood } = judge(await branchesIn(join(folder, 'raw'), join(folder, 'report')), reasons, ROOT);
    for (const line of lines) print(line);
    process.exitCode = green && isGood ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
