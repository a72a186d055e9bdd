import { formatted } from '../../support/formatted.js';
import type { Run } from '../result.js';
import { pageTableOf } from './table.js';

const COMMAND = 'npm run bench -- --table FILE';
const OF_CLUSTERS = `${COMMAND}, of runs with --cluster`;
const END = '<!-- end of the table -->';

/**
 * Replaces the tables of these runs in the text of BENCHMARKS.md: that of one process, that of clusters, or both.
 * @throws Error if the text has no place for them
 */
export async function withTable(text: string, runs: readonly Run[]): Promise<string> {
  if (runs.length === 0) throw new Error('a table needs a run');
  const places = [
    { command: COMMAND, of: runs.filter(({ cluster }) => cluster === undefined) },
    { command: OF_CLUSTERS, of: runs.filter(({ cluster }) => cluster !== undefined) },
  ];
  let made = text;
  for (const { command, of } of places) {
    if (of.length > 0) made = await withReport(made, command, [madeOf(of), '', await pageTableOf(of)].join('\n'));
  }
  return made;
}

/**
 * Replaces what a command has written into a text.
 * @param report in Markdown
 * @throws Error if the text has no place for what this command writes
 */
export async function withReport(text: string, command: string, report: string): Promise<string> {
  const begin = `<!-- table: ${command} -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(END, from);
  if (from < 0 || to < 0) throw new Error(`BENCHMARKS.md has no lines ${begin} and ${END}`);
  const made = (await formatted('BENCHMARKS.md', report)).trimEnd();
  return `${text.slice(0, from)}${begin}\n\n${made}\n\n${text.slice(to)}`;
}

/** Says how the table was made. */
function madeOf(runs: readonly Run[]): string {
  const [first] = runs as readonly [Run];
  const { cores, processors, memory, system, node } = first.machine;
  const { turns, seconds, connections, scale } = first.options;
  const count = runs.reduce((sum, each) => sum + (each.runs ?? 1), 0);
  const runsOf = count === 1 ? 'one run' : `${count} runs`;
  const dates = [...new Set(runs.map(({ at }) => at.slice(0, 10)))].join(', ');
  const on = first.cluster === undefined ? '' : ` on ${first.cluster.servers}`;
  return (
    `Made by ${runsOf} (${dates})${on} with ${cores} cores (${processors}), ${memory} GB, ${system}, Node ${node}; ` +
    `${turns} turns of ${seconds} s, ${connections} connections, data folders at scale ${scale}.`
  );
}
