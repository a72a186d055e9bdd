import type { Run } from '../result.js';
import { tablesOf } from './table.js';

const BEGIN = '<!-- table: npm run bench -- --table FILE -->';
const END = '<!-- end of the table -->';

/** Replaces the tables in the text of BENCHMARKS.md. @throws Error if the text has no place for it */
export async function withTable(text: string, runs: readonly Run[]): Promise<string> {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`BENCHMARKS.md has no lines ${BEGIN} and ${END}`);
  const made = [madeOf(runs), '', await tablesOf(runs)].join('\n');
  return `${text.slice(0, from)}${BEGIN}\n\n${made}\n\n${text.slice(to)}`;
}

/** Says how the table was made. */
function madeOf(runs: readonly Run[]): string {
  const [first] = runs;
  if (first === undefined) throw new Error('a table needs a run');
  const { cores, processors, memory, system, node } = first.machine;
  const { turns, seconds, connections, scale } = first.options;
  const runsOf = runs.length === 1 ? 'one run' : `${runs.length} runs`;
  const dates = runs.map(({ at }) => at.slice(0, 10)).join(', ');
  return (
    `Made by ${runsOf} (${dates}) with ${cores} cores (${processors}), ${memory} GB, ${system}, Node ${node}; ` +
    `${turns} turns of ${seconds} s, ${connections} connections, data folders at scale ${scale}.`
  );
}
