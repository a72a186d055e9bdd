import { type Output, write } from '../output.js';

/** What a check found; `look` is no failure. */
type Verdict = 'ok' | 'look' | 'wrong';

/** The result of one check. */
interface Checked {
  readonly check: string;
  readonly verdict: Verdict;
  readonly facts: string;
  /** What to do, in sentences. */
  readonly todo: readonly string[];
}

/** What the checks of an installation have found. */
export interface Diagnosis {
  readonly verdict: Verdict;
  readonly seconds: number;
  readonly checks: readonly Checked[];
}

const NAMES = ['check', 'verdict', 'facts', 'todo'];
const LONGEST = 'wrong'.length;

/** Writes one line for each check, and under it what to do. The last line names what is not ok. */
export function showDiagnosis(output: Output, diagnosis: Diagnosis): void {
  const { checks, seconds } = diagnosis;
  const width = Math.max(...checks.map(({ check }) => check.length));
  const lines = checks.flatMap(({ check, verdict, facts, todo }) => {
    const begin = `${verdict.padEnd(LONGEST)}  ${check.padEnd(width)}`;
    return [`${begin}  ${facts}`, ...todo.map((each) => `${' '.repeat(begin.length)}  → ${each}`)];
  });
  const rows = checks.map(({ todo, ...rest }) => ({ ...rest, todo: todo.join(' ') }));
  write(output, diagnosis, [...lines, '', `${summaryOf(checks)} (${seconds.toFixed(1)} s)`].join('\n'), {
    names: NAMES,
    rows,
  });
}

function summaryOf(checks: readonly Checked[]): string {
  const named = (verdict: Verdict): string =>
    checks
      .filter((each) => each.verdict === verdict)
      .map(({ check }) => check)
      .join(', ');
  const [wrong, look] = [named('wrong'), named('look')];
  if (wrong === '' && look === '') return 'All is well.';
  return [...(wrong === '' ? [] : [`Wrong: ${wrong}.`]), ...(look === '' ? [] : [`To look at: ${look}.`])].join(' ');
}
