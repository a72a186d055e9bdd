/**
 * `npm run conformance`: shows which tests prove which rule of docs/rules.md, and whether they passed. It fails if a rule has
 * no test that passed, if one of its tests failed, or if a test names a rule that is not in the rule book. `--json` prints the
 * same as JSON; `--rules` and `--results` name other files.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: options } = parseArgs({
  options: { json: { type: 'boolean' }, rules: { type: 'string' }, results: { type: 'string' } },
});

/** A ruling (`D6`) or a part of the interface (`4.6.1`). Three digits are never an id: they are an HTTP status. */
const ID = '(?:[A-Z]\\d{1,2}|\\d{1,2}(?:\\.\\d{1,2})*)';
const RULE = new RegExp(`^- \\*\\*(${ID})\\*\\* (\\S.*)$`);
const TITLE = new RegExp(`^(${ID}(?:(?:, ?| )${ID})*):`);

/** The ids at the start of a test's title, or of the title of a block around it. */
const idsOf = (titles) => new Set(titles.flatMap((title) => TITLE.exec(title)?.[1].split(/[, ]+/) ?? []));

/** The rules in the order of the rule book, and the faults of the rule book. */
function readRules(file) {
  const rules = new Map();
  const faults = [];
  let last;
  for (const [index, line] of readFileSync(file, 'utf8').split(/\r?\n/).entries()) {
    if (last !== undefined && line.startsWith('  - ')) last.sentence += ` ${line.slice(4)}`;
    if (!line.startsWith('- ')) continue;
    const [, id, sentence] = RULE.exec(line) ?? [];
    if (id === undefined) faults.push(`line ${index + 1} of the rule book is no rule: ${line}`);
    else if (rules.has(id)) faults.push(`the rule ${id} is in the book twice`);
    else rules.set(id, (last = { id, sentence, tests: [] }));
  }
  return { rules, faults };
}

const STATUS = { passed: 'passed', failed: 'failed' };

/** Every test of Jest's report, with the ids in its titles. */
function readTests(file) {
  return JSON.parse(readFileSync(file, 'utf8')).testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => ({
      file: relative(join(root, 'dist'), name).replaceAll('\\', '/').replace(/\.js$/, '.ts'),
      title: [...ancestorTitles, title].join(' › '),
      status: STATUS[status] ?? 'skipped',
      ids: idsOf([...ancestorTitles, title]),
    })),
  );
}

/** The last full run's report. If there is none, or one of an older build, it runs all tests first. */
function report() {
  const file = join(root, 'dist/test-results.json');
  const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const built = join(root, 'dist/.built');
  if (!existsSync(built) || made < statSync(built).mtimeMs) {
    spawnSync(process.execPath, [join(root, 'scripts/test.mjs')], { cwd: root, stdio: ['ignore', 2, 2] });
  }
  return file;
}

/** One failed test outweighs passed ones. A rule is not proved if all its tests were skipped. */
function resultOf({ tests }) {
  if (tests.length === 0) return 'no test';
  for (const status of ['failed', 'passed']) if (tests.some((test) => test.status === status)) return status;
  return 'skipped';
}

const { rules, faults } = readRules(options.rules ?? join(root, 'docs/rules.md'));
for (const { ids, ...test } of readTests(options.results ?? report())) {
  for (const id of ids) {
    const rule = rules.get(id);
    if (rule === undefined) faults.push(`${id} is not in the rule book, but in ${test.file}: ${test.title}`);
    else rule.tests.push(test);
  }
}
const table = [...rules.values()].map((rule) => ({ ...rule, result: resultOf(rule) }));
const open = table.filter(({ result }) => result !== 'passed');
if (table.length === 0) faults.push('the rule book is empty');

if (options.json === true) {
  console.log(JSON.stringify({ rules: table, faults }, null, 2));
} else {
  for (const { id, sentence, result, tests } of table) {
    console.log(`${id.padEnd(8)}${result.padEnd(9)}${sentence}`);
    for (const { status, file, title } of tests) console.log(`${''.padEnd(8)}${status.padEnd(9)}  ${file}: ${title}`);
  }
  for (const fault of faults) console.log(`fault   ${fault}`);
  console.log(
    `\n${table.length} rules: ${table.length - open.length} proved, ${open.length} not; ${faults.length} faults`,
  );
}
process.exitCode = open.length === 0 && faults.length === 0 ? 0 : 1;
