import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { defects } from './defects.js';
import { foundIn, noteFound, type Found } from './found.js';
import { idsToFind, planted } from './list.js';
import { withPlanted } from './plant.js';
import { firstCaused, worldOf, type Worlds } from './seeds.js';
import { ROOT } from './targets.js';

const USAGE = `npm run campaign:planted -- [ID …] [--seed 1] [--seeds 200] [--commands 300] [--jobs 2] [--form cluster] [--json FILE]

Plants each fault (those that Holdfast once had, and the drawn mutants that have an effect) in a copy of the compiled tree, and runs seeds
until a world fails that does not fail without the fault. Prints for each how many seeds it took, and what failed. Ends with the
number of faults that no seed found.
--json puts this into a file, beside what the file says of other faults. Without --form and --commands, each fault has the worlds
that the file names for it; without an entry, worlds of 300 commands, in the form that each seed chooses.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '200' },
    commands: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    form: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const COMMANDS = 300;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** What the file says of a fault. */
function before(id: string): Found | undefined {
  return values.json !== undefined && existsSync(values.json)
    ? foundIn(values.json).find((each) => each.id === id)
    : undefined;
}

async function main(): Promise<void> {
  const ids = positionals.length > 0 ? positionals : [...defects().map(({ id }) => id), ...idsToFind()];
  const waiting = [...ids];
  const sound = worldOf(join(ROOT, 'dist'));
  let missed = 0;
  const worker = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const known = before(id);
      const form = values.form ?? known?.form ?? null;
      const commands = Number(values.commands ?? known?.commands ?? COMMANDS);
      const worlds: Worlds = { form, commands, first: Number(values.seed), most: Number(values.seeds) };
      const { seeds, words } = await withPlanted(id, (folder) =>
        firstCaused(worldOf(join(folder, 'dist')), sound, worlds),
      );
      if (seeds === null) missed += 1;
      const what = planted(id).description.replaceAll('\n', ' ');
      if (values.json !== undefined) noteFound(values.json, { id, what, form, commands, seeds, words });
      print(`${seeds ?? '-'}\t${id}\t${words.slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
  print(`${ids.length - missed} of ${ids.length} found`);
  process.exitCode = missed === 0 ? 0 : 1;
}

if (values.help) print(USAGE);
else await main();
