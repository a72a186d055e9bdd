import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../planted/targets.js';
import { type Branch, branchesIn } from './branches.js';

const USAGE = `npm run campaign:coverage -- [--seeds 200] [--jobs 2] [any other option of npm run sim]

Runs simulated worlds, and tells which branches of the command loop and of the runners no world reached. Each of these must have a
reason in test/sim/coverage/unreached.json.
`;

/** Why no world reaches a branch. */
interface Reason {
  readonly file: string;
  readonly branch: string;
  readonly why: string;
}

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

function judge(branches: readonly Branch[]): boolean {
  const reasons = JSON.parse(readFileSync(join(ROOT, 'test/sim/coverage/unreached.json'), 'utf8')) as readonly Reason[];
  const reasonFor = ({ file, name }: Branch): Reason | undefined =>
    reasons.find((each) => each.file === file && each.branch === name);
  const unreached = branches.filter(({ reached }) => !reached);
  print(`${branches.length - unreached.length} of ${branches.length} branches reached; the others:`);
  for (const each of unreached) {
    print(`${each.file}:${each.line}  ${each.name}`);
    print(`    ${reasonFor(each)?.why ?? 'NO REASON GIVEN'}`);
  }
  for (const each of branches.filter((branch) => branch.reached && reasonFor(branch) !== undefined))
    print(`reached, although a reason says why not: ${each.file}:${each.line}  ${each.name}`);
  const gone = reasons.filter(
    ({ file, branch }) => !branches.some((each) => each.file === file && each.name === branch),
  );
  for (const { file, branch } of gone) print(`a reason for a branch that does not exist: ${file}  ${branch}`);
  return gone.length === 0 && unreached.every((each) => reasonFor(each) !== undefined);
}

if (process.argv.includes('--help')) print(USAGE);
else {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-coverage-'));
  try {
    const green = await runWorlds(join(folder, 'raw'));
    const explained = judge(await branchesIn(join(folder, 'raw'), join(folder, 'report')));
    process.exitCode = green && explained ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
