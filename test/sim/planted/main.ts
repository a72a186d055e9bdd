import { parseArgs } from 'node:util';
import { choose, LIST } from './choose.js';
import { defects } from './defects.js';
import { fileOf, generate } from './generate.js';
import { drawnMutants, mutantList, planted, type MutantList } from './list.js';
import { plantIn } from './plant.js';
import { ROOT } from './targets.js';

const USAGE = `node dist/test/sim/planted/main.js …
  list [drawn|mutants|defects]   ids and descriptions; without a word, those that must be found
  show ID                        the texts that it replaces
  apply ID FOLDER                a copy of the compiled tree, with the fault planted, in a new folder
  generate                       the list of mutants that today's sources would give, as JSON
`;

const print = (text: string): void => void process.stdout.write(text);

function listOf(which: string | undefined): string {
  const found =
    which === 'mutants' ? mutantList().mutants : which === 'defects' ? defects() : [...defects(), ...drawnMutants()];
  return found.map(({ id, description }) => `${id}\n    ${description.replaceAll('\n', '\n    ')}\n`).join('');
}

function listOfToday(): MutantList {
  const { sources, mutants } = generate(ROOT);
  return { generated: mutants.length, sources, mutants: choose(mutants, fileOf, LIST) };
}

const [command, first = '', second] = parseArgs({ allowPositionals: true }).positionals;
if (command === 'list') print(listOf(first));
else if (command === 'show' && first !== '') print(`${JSON.stringify(planted(first), null, 2)}\n`);
else if (command === 'apply' && second !== undefined) plantIn(second, planted(first));
else if (command === 'generate') print(`${JSON.stringify(listOfToday(), null, 2)}\n`);
else {
  print(USAGE);
  process.exitCode = 2;
}
