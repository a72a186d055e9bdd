import { COMMAND_LINE } from '#kernel/bounds';
import { importFile } from '../import-file.js';
import type { Call } from './call.js';
import { flag, required, text } from './values.js';

/** Regions, deals, partners and users from a file (ruling G4). */
export const IMPORT: readonly Call[] = [
  {
    noun: 'import',
    verb: 'run',
    kind: 'own',
    route: 'POST /operators/import',
    words: 'imports regions, deals, partners and users from lines of JSON; exits with 1 if a line is refused',
    example: 'import run --file catalogue.ndjson',
    options: {
      file: required(text('a file of lines of JSON; `-` is the standard input', COMMAND_LINE.part)),
      dry_run: flag('says what each line would do, and writes nothing'),
    },
    run: importFile,
  },
];
