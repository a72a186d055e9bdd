import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

interface Outcome {
  readonly code: number | null;
  readonly rules: Readonly<Record<string, string>>;
  readonly faults: readonly string[];
}

interface Printed {
  readonly counts: Readonly<Record<'rules' | 'proved' | 'unproved' | 'open' | 'faults', number>>;
  readonly rules: readonly { readonly id: string; readonly result: string; readonly sentence: string }[];
  readonly faults: readonly string[];
}

type Test = readonly [status: string, ...titles: string[]];

describe('npm run conformance', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-conformance-'));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Writes a made-up rule book and a made-up Jest report. */
  function written(book: readonly string[], tests: readonly Test[]): { rules: string; results: string } {
    const rules = join(folder, 'rules.md');
    const results = join(folder, 'results.json');
    writeFileSync(rules, ['# Rules', '', ...book, ''].join('\n'));
    const assertionResults = tests.map(([status, ...titles]) => ({
      status,
      ancestorTitles: titles.slice(0, -1),
      title: titles.at(-1),
    }));
    writeFileSync(
      results,
      JSON.stringify({ testResults: [{ name: join(process.cwd(), 'dist/libs/x.spec.js'), assertionResults }] }),
    );
    return { rules, results };
  }

  /** Runs it over these. */
  function run(
    book: readonly string[],
    tests: readonly Test[],
    ...args: string[]
  ): { code: number | null; stdout: string } {
    const { rules, results } = written(book, tests);
    const script = ['scripts/conformance.mjs', '--rules', rules, '--results', results, ...args];
    const { status: code, stdout } = spawnSync(process.execPath, script, { encoding: 'utf8' });
    return { code, stdout };
  }

  function printed(book: readonly string[], tests: readonly Test[]): { code: number | null; output: Printed } {
    const { code, stdout } = run(book, tests, '--json');
    return { code, output: JSON.parse(stdout) as Printed };
  }

  function conformance(book: readonly string[], tests: readonly Test[]): Outcome {
    const { code, output } = printed(book, tests);
    return {
      code,
      rules: Object.fromEntries(output.rules.map(({ id, result }) => [id, result])),
      faults: output.faults,
    };
  }

  const book = ['- **D1** One.', '- **D6** Two.', '- **4.6.1** Three.', '- **5** Four.'];

  it("succeeds when every rule has a passed test that names it in its own title or in its block's title", () => {
    const outcome = conformance(book, [
      ['passed', 'D1, D6: the hold', 'is released'],
      ['passed', 'checkout', '4.6.1 5: charges once'],
      ['passed', 'answers', '404: is no rule, nor is 64 buyers: this'],
    ]);
    expect(outcome).toEqual({
      code: 0,
      rules: { D1: 'passed', D6: 'passed', '4.6.1': 'passed', '5': 'passed' },
      faults: [],
    });
  });

  it('counts the indented lines below a rule as part of it', () => {
    const { code, output } = printed(
      ['- **D1** One.', '  - And more.', '  - And this.', '- **D6** Two.'],
      [['passed', 'D1, D6: both']],
    );
    expect([code, output.rules.map(({ sentence }) => sentence)]).toEqual([0, ['One. And more. And this.', 'Two.']]);
  });

  it.each<[string, string, readonly Test[]]>([
    ['no test', 'no test names the rule', []],
    ['no test', 'a title names the rule, but not at its start', [['passed', 'as D1: says']]],
    [
      'failed',
      'one test of the rule fails, though another passes',
      [
        ['passed', 'D1: a'],
        ['failed', 'D1: b'],
      ],
    ],
    ['skipped', 'the test of the rule was skipped', [['pending', 'D1: a']]],
  ])('reports "%s" and fails when %s', (result, _, tests) => {
    expect(conformance(['- **D1** One.'], tests)).toEqual({ code: 1, rules: { D1: result }, faults: [] });
  });

  it('counts an open rule apart, and does not ask for its test', () => {
    const outcome = conformance(['- **G7** One.', '- **G7.1** _open_ Two.'], [['passed', 'G7: a']]);
    expect(outcome).toEqual({ code: 0, rules: { G7: 'passed', 'G7.1': 'open' }, faults: [] });
  });

  it('ends with the open rules, the unproved ones, the faults, and how many there are of each', () => {
    const rules = ['- **G7** One.', '- **G7.1** _open_ Two.', '- **G8** Three.', '- **G9** Four.', 'five', '- six'];
    const tests: readonly Test[] = [
      ['passed', 'G7: a'],
      ['failed', 'G9: b'],
    ];
    const { code, stdout } = run(rules, tests);
    expect([code, stdout.slice(stdout.indexOf('\nOpen:')).split('\n')]).toEqual([
      1,
      [
        '',
        'Open:',
        'G7.1    open     Two.',
        '',
        'Unproved:',
        'G8      no test  Three.',
        'G9      failed   Four.',
        '',
        'Faults:',
        'fault   line 8 of the rule book is no rule: - six',
        '',
        '4 rules: 1 proved, 2 unproved, 1 open; 1 faults',
        '',
      ],
    ]);
    expect(printed(rules, tests).output.counts).toEqual({ rules: 4, proved: 1, unproved: 2, open: 1, faults: 1 });
  });

  it.each(['passed', 'failed', 'pending'])('fails when a test that has %s names an open rule', (status) => {
    const outcome = conformance(
      ['- **G7** One.', '- **G7.1** _open_ Two.'],
      [
        ['passed', 'G7: a'],
        [status, 'G7.1: b'],
      ],
    );
    expect(outcome).toMatchObject({ code: 1, faults: [expect.stringMatching(/^G7.1 is open in the rule book, but/)] });
  });

  it('fails when a test names a rule that the book does not have', () => {
    const outcome = conformance(['- **D1** One.'], [['passed', 'D1, D9: x']]);
    expect(outcome).toMatchObject({
      code: 1,
      rules: { D1: 'passed' },
      faults: [expect.stringMatching(/^D9 is not in the rule book/)],
    });
  });

  it.each([
    ['a line that is not a rule', ['- **D1** One.', '- D2 Two.']],
    ['the same rule twice', ['- **D1** One.', '- **D1** One.']],
    ['no rules', []],
    ['another mark for an open rule', ['- **D1** *open* One.']],
    ['an open rule without a sentence', ['- **D1** _open_']],
    ['a part of a rule that is open', ['- **D1** One.', '  - _open_ And more.']],
  ])('fails for a book with %s', (_, lines) => {
    const outcome = conformance(lines, lines.length === 0 ? [] : [['passed', 'D1: x']]);
    expect(outcome.code).toBe(1);
    expect(outcome.faults).toHaveLength(1);
  });

  it.each<[string, readonly Test[], readonly string[], (readonly string[])?]>([
    ['nothing, if each built rule has a test', [['passed', 'G7: a']], []],
    ['a built rule without a test', [], ['no test names the rule G7,']],
    [
      'an open rule with a test',
      [
        ['passed', 'G7: a'],
        ['passed', 'G7.1: b'],
      ],
      ['G7.1 is open in the rule book,'],
    ],
    ['no rule whose tests this machine skips', [['pending', 'G7: a']], []],
    ['no rule whose test fails, because that test counts already', [['failed', 'G7: a']], []],
    ['no rule that another run proves', [], [], ['G7']],
  ])('gives a full npm test as faults: %s', (_, tests, faults, elsewhere = []) => {
    const { rules, results } = written(['- **G7** One.', '- **G7.1** _open_ Two.'], tests);
    const code = `
      import { faultsOfRun } from './scripts/rule-book.mjs';
      const [root, rules, results, ...elsewhere] = process.argv.slice(1);
      console.log(JSON.stringify(faultsOfRun(root, rules, results, new Set(elsewhere))));`;
    const args = ['--input-type=module', '-e', code, process.cwd(), rules, results, ...elsewhere];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual(faults.map((start) => expect.stringContaining(start)));
  });
});
