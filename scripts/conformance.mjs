/**
 * `npm run conformance`: shows which tests prove which rule of docs/rules.md, whether they passed, and which rules are open; then the
 * open and the unproved rules together, and the counts. It fails if a rule that is not open has no test that passed, if one of its
 * tests failed, if a test names an open rule, or one that is not in the rule book. `--json` prints the same as JSON; `--rules` and
 * `--results` name other files.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { judge } from './rule-book.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: options } = parseArgs({
  options: { json: { type: 'boolean' }, rules: { type: 'string' }, results: { type: 'string' } },
});

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

const { table, faults } = judge(root, options.rules ?? join(root, 'docs/rules.md'), options.results ?? report());
const having = (...results) => table.filter(({ result }) => results.includes(result));
const open = having('open');
const unproved = having('no test', 'failed', 'skipped');
const counts = {
  rules: table.length,
  proved: having('passed').length,
  unproved: unproved.length,
  open: open.length,
  faults: faults.length,
};
const list = (title, rules) => {
  if (rules.length === 0) return;
  console.log(`\n${title}:`);
  for (const { id, result, sentence } of rules) console.log(`${id.padEnd(8)}${result.padEnd(9)}${sentence}`);
};

if (options.json === true) {
  console.log(JSON.stringify({ counts, rules: table, faults }, null, 2));
} else {
  for (const { id, sentence, result, tests } of table) {
    console.log(`${id.padEnd(8)}${result.padEnd(9)}${sentence}`);
    for (const { status, file, title } of tests) console.log(`${''.padEnd(8)}${status.padEnd(9)}  ${file}: ${title}`);
  }
  list('Open', open);
  list('Unproved', unproved);
  if (faults.length > 0) console.log('\nFaults:');
  for (const fault of faults) console.log(`fault   ${fault}`);
  console.log(
    `\n${counts.rules} rules: ${counts.proved} proved, ${counts.unproved} unproved, ${counts.open} open; ${counts.faults} faults`,
  );
}
process.exitCode = unproved.length === 0 && faults.length === 0 ? 0 : 1;
