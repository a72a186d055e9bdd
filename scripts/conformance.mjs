/**
 * `npm run conformance`: shows which tests prove which rule of docs/rules.md, whether they passed, and which rules are open; then the
 * open and the unproved rules together, and the counts. It fails if a rule that is not open has no test that passed, if one of its
 * tests failed, if a test names an open rule, or one that is not in the rule book. It counts the last runs of `npm test`,
 * `test:world` and `test:nightly` on the present build, and runs the first two if there are none. `--json` prints the same as JSON;
 * `--rules` and `--results` name other files.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { judge, resultsOf } from './rule-book.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: options } = parseArgs({
  options: { json: { type: 'boolean' }, rules: { type: 'string' }, results: { type: 'string' } },
});

/** When a file was written, in milliseconds; 0 if it is missing. */
const writtenAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
/** Whether a run of the present build made this report. */
const isNew = (report) => writtenAt(report) >= (writtenAt(join(root, 'dist/.built')) || Infinity);

/** The reports of the last runs. If there is none, or one of an older build, it runs the tests first. */
function reports() {
  for (const kind of [undefined, 'world']) {
    if (isNew(resultsOf(root, kind))) continue;
    const args = [join(root, 'scripts/test.mjs'), ...(kind === undefined ? [] : [`--kind=${kind}`])];
    spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  }
  return [undefined, 'world', 'nightly'].map((kind) => resultsOf(root, kind)).filter(isNew);
}

const results = options.results === undefined ? reports() : [options.results];
const { table, faults } = judge(root, options.rules ?? join(root, 'docs/rules.md'), results);
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
