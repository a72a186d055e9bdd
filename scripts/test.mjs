/**
 * `npm test`: builds, and runs every compiled spec; meanwhile it checks format, lint and import rules. `npm test -- --changed` (or
 * `--changed=main`) does this only for the files that differ from the last commit (or from main), and for the specs without
 * processes that import them. Other arguments go to Jest, and then only Jest runs (`npm test -- ids`). The last line is
 * `N passed, N failed`, and `, N skipped` if tests were skipped: it counts tests and checks.
 *
 * A spec named `x.world.spec.ts` needs servers or programs of others beside the service, or tries the whole service under load and
 * faults (a campaign); one named `x.nightly.spec.ts` tests the tools of the tests, or every case of something of which the others
 * run some. `--kind=world` and `--kind=nightly` run these alone.
 */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, constants, setPriority, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { changedFiles, OTHER_KINDS, quickSpecsOf } from './changed.mjs';
import { jestArguments } from './jest-arguments.mjs';
import { faultsOfRun, judge, namedInWorld, resultsOf } from './rule-book.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
const since = args.find((each) => /^--changed(=|$)/.test(each));
/** The files to check, as paths from the root; undefined: all. */
const changed = since === undefined ? undefined : changedFiles(since.split('=')[1] ?? 'HEAD');
const all = args.length === 0;
const kind = /^--kind=(world|nightly)$/.exec(args[0] ?? '')?.[1];
const bin = (path) => join(root, 'node_modules', path);
/** The results. `npm run conformance` reads those of full runs, so a run of some specs writes another file. */
const results = all || kind !== undefined ? resultsOf(root, kind) : join(root, 'dist/some-test-results.json');

const cruiser = bin('dependency-cruiser/bin/dependency-cruiser.mjs');

const code = changed?.filter((file) => /\.(ts|js|mjs)$/.test(file)) ?? ['.'];
const checks = [
  {
    name: 'format',
    args: [bin('oxfmt/bin/oxfmt'), '--list-different', '--no-error-on-unmatched-pattern', ...(changed ?? ['.'])],
  },
  ...(code.length === 0 ? [] : [{ name: 'lint', args: [bin('oxlint/bin/oxlint'), ...code] }]),
  { name: 'imports', args: [cruiser, '{apps,libs,test}'] },
  { name: 'reach', args: [cruiser, '--config', '.dependency-cruiser.reach.cjs', '{apps,libs}'] },
];

const jest = (specs) => [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  // Jest's processes share few processors with the programs under test: V8's helper threads would only take time from these. The
  // young generation (in MB) need not grow first. Jest's own processor time falls by a tenth.
  '--single-threaded-gc',
  '--min-semi-space-size=16',
  bin('jest/bin/jest.js'),
  // Two more than there are processors: the slow specs often wait, for a lease or a timeout. With more, the programs under test
  // get so little time that their own limits run out, and the whole is hardly faster.
  `--maxWorkers=${Math.min(availableParallelism() + 2, 5)}`,
  '--json',
  `--outputFile=${results}`,
  ...(all ? [`--testPathIgnorePatterns=${OTHER_KINDS.source}`] : []),
  ...(changed === undefined ? jestArguments(specs) : ['--runTestsByPath', ...specs]),
];

/** Where Linux keeps files in memory, and the free bytes that the tests' files need there. */
const MEMORY = '/dev/shm';
const ENOUGH = 2 * 1024 ** 3;

/**
 * A folder in memory for the tests' temporary files; undefined where there is too little room. A disk must write for each of a
 * thousand starts, and takes a third of their time. Tests of what reaches the disk use `ON_DISK` (test/support/temp-folder.ts).
 */
function folderInMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < ENOUGH || process.availableMemory() < 2 * ENOUGH) return undefined;
    const folder = mkdtempSync(join(MEMORY, 'holdfast-tests-'));
    // Programs of other users find their own folders in it, and see nothing else.
    chmodSync(folder, 0o711);
    return folder;
  } catch {
    return undefined;
  }
}

function discard(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    // A program that a failed test has left may still write. That is no verdict on the tests.
    console.error(`${folder} stays: ${error.message}`);
  }
}

const running = new Set();
const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/**
 * Runs Node with these arguments. Resolves to its success and, unless it owns the terminal, its output.
 * @param options.priority as that of `nice`
 */
function run(args, stdio, { priority = 0, env = process.env } = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio, env });
    if (child.pid !== undefined && priority !== 0) setPriority(child.pid, priority);
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (printed += text));
    running.add(child);
    child.on('close', (code) => {
      running.delete(child);
      resolve({ ok: code === 0, printed });
    });
  });
}

/** Builds what is missing, and then runs the specs. The checks need no build: they use the other processors meanwhile. */
async function runSpecs() {
  const built = await run([join(root, 'scripts/run.mjs')], ['ignore', 'inherit', 'inherit']);
  if (!built.ok) return built;
  const named = kind === undefined ? args : [String.raw`\.${kind}\.spec\.js$`];
  const specs = changed === undefined ? named : quickSpecsOf(changed);
  // Without any path, Jest would run every spec.
  if (changed !== undefined && specs.length === 0) return { ok: true, none: true };
  const memory = folderInMemory();
  if (memory === undefined) return run(jest(specs), ['ignore', 'inherit', 'inherit']);
  const interrupted = () => discard(memory);
  process.on('exit', interrupted);
  const env = { ...process.env, TMPDIR: memory, TEST_DISK: tmpdir() };
  const ran = await run(jest(specs), ['ignore', 'inherit', 'inherit'], { env });
  // Now: after the last line, which counts tests, nothing may be printed.
  process.off('exit', interrupted);
  discard(memory);
  return ran;
}

/** Runs the checks one after another, at a low priority: they use the time when specs wait. */
async function checkAll() {
  const verdicts = [];
  for (const each of checks) verdicts.push(await check(each));
  return verdicts;
}

async function check({ name, args }) {
  const since = Date.now();
  const { ok, printed } = await run(args, ['ignore', 'pipe', 'pipe'], {
    priority: constants.priority.PRIORITY_BELOW_NORMAL,
  });
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds(since)})`);
  if (!ok) console.log(printed);
  return ok;
}

/** Jest's counts. A spec that could not run counts as one failed test, and so does a crash of Jest. */
function counts(ok) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numRuntimeErrorTestSuites } = JSON.parse(
      readFileSync(results, 'utf8'),
    );
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    return {
      passed: numPassedTests,
      failed: ok ? failed : Math.max(failed, 1),
      skipped: numPendingTests + numTodoTests,
    };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/** The adapters that the contract suites ran against, with their results. The suites' titles are `<port> contract: <adapter>`. */
function contracts() {
  const found = new Map();
  const { testResults } = JSON.parse(readFileSync(results, 'utf8'));
  for (const { ancestorTitles, status } of testResults.flatMap(({ assertionResults }) => assertionResults)) {
    const title = ancestorTitles.find((each) => / contract: /.test(each));
    if (title === undefined) continue;
    const counted = found.get(title) ?? { passed: 0, failed: 0, pending: 0 };
    counted[status] = (counted[status] ?? 0) + 1;
    found.set(title, counted);
  }
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, { passed, failed, pending }]) => {
      const [port, adapter] = title.split(' contract: ');
      const rest = [failed > 0 && `${failed} failed`, pending > 0 && `${pending} skipped`].filter(Boolean);
      return `  ${port.padEnd(20)} ${adapter.padEnd(48)} ${[`${passed} passed`, ...rest].join(', ')}`;
    });
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const child of running) child.kill(signal);
    process.exit(signal === 'SIGINT' ? 130 : 143);
  });
}

rmSync(results, { force: true });
const [verdicts, { ok, none = false }] = await Promise.all([
  all || changed !== undefined ? checkAll() : [],
  runSpecs(),
]);
const { passed, failed, skipped } = none ? { passed: 0, failed: 0, skipped: 0 } : counts(ok);
if ((all || kind !== undefined) && existsSync(results)) {
  console.log(['Contracts ran against:', ...contracts()].join('\n'));
  const rules = join(root, 'docs/rules.md');
  const faults = all ? faultsOfRun(root, rules, results, namedInWorld(root)) : judge(root, rules, [results]).faults;
  console.log(faults.length === 0 ? 'ok     rules' : ['FAILED rules', ...faults].join('\n'));
  verdicts.push(faults.length === 0);
}
const totals = {
  passed: passed + verdicts.filter((verdict) => verdict).length,
  failed: failed + verdicts.filter((verdict) => !verdict).length,
};
process.exitCode = totals.failed === 0 ? 0 : 1;
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
