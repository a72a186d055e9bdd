/** The rules of docs/rules.md, the tests that name them, and whether each rule is proved. */
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A ruling (`D6`, `G7.2`) or a part of the interface (`4.6.1`). Three digits are never an id: they are an HTTP status. */
const ID = '(?:[A-Z]\\d{1,2}(?:\\.\\d{1,2})?|\\d{1,2}(?:\\.\\d{1,2})*)';
const RULE = new RegExp(`^- \\*\\*(${ID})\\*\\* (?:(_open_) )?(\\S.*)$`);
/** What looks like the mark of an open rule. The mark counts only in the place that `RULE` gives it. */
const MARK = /^[_*([]+open(?![a-z])/i;
const TITLE = new RegExp(`^(${ID}(?:(?:, ?| )${ID})*):`);

/** The ids at the start of a test's title, or of the title of a block around it. */
const idsOf = (titles) => new Set(titles.flatMap((title) => TITLE.exec(title)?.[1].split(/[, ]+/) ?? []));

/** The rules in the order of the rule book, and the faults of the rule book. `isOpen`: not built yet. */
function readRules(file) {
  const rules = new Map();
  const faults = [];
  let last;
  for (const [index, line] of readFileSync(file, 'utf8').split(/\r?\n/).entries()) {
    const [, id, open, sentence] = RULE.exec(line) ?? [];
    const text = line.startsWith('  - ') ? line.slice(4) : sentence;
    if (text !== undefined && MARK.test(text)) {
      faults.push(`line ${index + 1} of the rule book must mark a rule as open like this: - **G7.1** _open_ …`);
    }
    if (last !== undefined && line.startsWith('  - ')) last.sentence += ` ${text}`;
    if (!line.startsWith('- ')) continue;
    if (id === undefined) faults.push(`line ${index + 1} of the rule book is no rule: ${line}`);
    else if (rules.has(id)) faults.push(`the rule ${id} is in the book twice`);
    else rules.set(id, (last = { id, sentence, isOpen: open !== undefined, tests: [] }));
  }
  if (rules.size === 0) faults.push('the rule book is empty');
  return { rules, faults };
}

/** A text that begins like the title of a test that names rules. */
const QUOTED = new RegExp(`['"\`]${TITLE.source.slice(1)}`, 'g');

/** The file with the report of a run of all specs of a kind; undefined: those of `npm test`. */
export function resultsOf(root, kind) {
  return join(root, 'dist', `${kind === undefined ? '' : `${kind}-`}test-results.json`);
}

/** The ids that the specs of `npm run test:world` name, by their text: `npm test`, which does not run them, knows that they exist. */
export function namedInWorld(root) {
  const specs = globSync('dist/{libs,test}/**/*.world.spec.js', { cwd: root });
  const titles = specs.flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(QUOTED)]);
  return new Set(titles.flatMap(([, ids]) => ids.split(/[, ]+/)));
}

/** Every test of Jest's reports, with the ids in its titles. */
function readTests(root, files) {
  const statuses = { passed: 'passed', failed: 'failed' };
  const suites = files.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).testResults);
  return suites.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => ({
      file: relative(join(root, 'dist'), name).replaceAll('\\', '/').replace(/\.js$/, '.ts'),
      title: [...ancestorTitles, title].join(' › '),
      status: statuses[status] ?? 'skipped',
      ids: idsOf([...ancestorTitles, title]),
    })),
  );
}

/**
 * One failed test outweighs passed ones. A rule is not proved if all its tests were skipped. An open rule has no test: one that
 * passes says that the rule is built, and one that fails does not belong here yet.
 */
function resultOf({ isOpen, tests }) {
  if (tests.length === 0) return isOpen ? 'open' : 'no test';
  for (const status of ['failed', 'passed']) if (tests.some((test) => test.status === status)) return status;
  return 'skipped';
}

/**
 * Reads the rule book and reports.
 * @returns `table`: each rule with its tests and its `result` (`passed`, `open`, `no test`, `failed` or `skipped`); `faults`: what
 * is wrong with the book or a title
 */
export function judge(root, rulesFile, resultsFiles) {
  const { rules, faults } = readRules(rulesFile);
  for (const { ids, ...test } of readTests(root, resultsFiles)) {
    for (const id of ids) {
      const rule = rules.get(id);
      if (rule === undefined) faults.push(`${id} is not in the rule book, but in ${test.file}: ${test.title}`);
      else rule.tests.push(test);
    }
  }
  for (const { id, isOpen, tests } of rules.values())
    if (isOpen && tests.length > 0)
      faults.push(`${id} is open in the rule book, but ${tests[0].file} tests it: ${tests[0].title}`);
  return { table: [...rules.values()].map((rule) => ({ ...rule, result: resultOf(rule) })), faults };
}

/**
 * What is wrong between the rule book and a run of `npm test`, for its last line. A failed test counts already. A rule whose tests
 * were skipped is not wrong: this machine may lack what they need.
 * @param elsewhere the ids that have a test in another run
 */
export function faultsOfRun(root, rulesFile, resultsFile, elsewhere) {
  const { table, faults } = judge(root, rulesFile, [resultsFile]);
  const unproved = table.filter(({ id, result }) => result === 'no test' && !elsewhere.has(id));
  return [
    ...faults,
    ...unproved.map(({ id }) => `no test names the rule ${id}, which docs/rules.md does not mark as open`),
  ];
}
