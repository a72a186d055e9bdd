import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { defects } from './defects.js';
import { noteFound } from './found.js';
import { idsToFind, planted } from './list.js';
import { withPlanted } from './plant.js';

const USAGE = `npm run campaign:planted -- [ID …] [--seed 1] [--seeds 200] [--commands 2000] [--jobs 2] [--form cluster] [--json FILE]

Plants each fault (those that Holdfast once had, and the drawn mutants that have an effect) in a copy of the compiled tree, and runs seeds
until one fails. Prints for each how many seeds it took, and what failed. Ends with the number of faults that no seed found.
--json puts this into a file, beside what the file says of other faults.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '200' },
    commands: { type: 'string', default: '2000' },
    jobs: { type: 'string', default: '2' },
    form: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** The longest time of a world, in its hours: one in which nothing succeeds any more would go on for the whole thousand. */
const HOURS = '3';

/** How a planted fault was found. */
interface Detection {
  /** How many seeds it took; undefined if none failed. */
  readonly seeds: number | undefined;
  readonly words: string;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Runs seeds on a planted copy until one fails. */
async function detect(folder: string): Promise<Detection> {
  const { seed, seeds, commands, form } = values;
  const fixed = form === undefined ? [] : ['--form', form];
  const plan = ['--seed', seed, '--seeds', seeds, '--commands', commands, '--hours', HOURS];
  const options = [...plan, '--until-failure', ...fixed];
  const child = spawn(process.execPath, [join(folder, 'dist/test/sim/main.js'), ...options], { cwd: folder });
  const errors: string[] = [];
  child.stderr.on('data', (data: Buffer) => errors.push(data.toString()));
  let tried = 0;
  let words: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('seed ')) continue;
    tried += 1;
    words ??= /FAILED: (.*)/.exec(line)?.[1];
  }
  const code = await new Promise((resolve) => {
    if (child.exitCode === null) child.once('exit', resolve);
    else resolve(child.exitCode);
  });
  if (words !== undefined) return { seeds: tried, words };
  // The simulator itself broke off.
  if (code !== 0)
    return { seeds: tried + 1, words: errors.join('').trim().split('\n').at(-1) ?? `exit code ${String(code)}` };
  return { seeds: undefined, words: 'NOT FOUND' };
}

async function main(): Promise<void> {
  const ids = positionals.length > 0 ? positionals : [...defects().map(({ id }) => id), ...idsToFind()];
  const waiting = [...ids];
  let missed = 0;
  const worker = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const { seeds, words } = await withPlanted(id, detect);
      if (seeds === undefined) missed += 1;
      if (values.json !== undefined) {
        const { description: what } = planted(id);
        const of = { form: values.form ?? null, commands: Number(values.commands) };
        noteFound(values.json, { id, what: what.replaceAll('\n', ' '), ...of, seeds: seeds ?? null, words });
      }
      print(`${seeds ?? '-'}\t${id}\t${words.slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
  print(`${ids.length - missed} of ${ids.length} found`);
  process.exitCode = missed === 0 ? 0 : 1;
}

if (values.help) print(USAGE);
else await main();
