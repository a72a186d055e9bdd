import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { discardLeftovers } from '../support/running-service.js';
import { recordGolden } from './record-golden.js';

/** `npm run golden:record -- NAME [--eventstoredb [--found]]`: records this build in `test/golden/NAME/` (`Recorder`). */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { eventstoredb: { type: 'boolean', default: false }, found: { type: 'boolean', default: false } },
});
const [name] = positionals;
if (name === undefined || positionals.length > 1) throw new Error('golden:record -- NAME [--eventstoredb [--found]]');
const golden = resolve('test/golden', name);
if (existsSync(golden)) throw new Error(`${golden} is there already, and never changes`);

try {
  const { answers, sales } = await recordGolden(golden, values);
  process.stdout.write(`${golden}: ${answers} answers, ${sales} sales under load\n`);
} finally {
  await discardLeftovers();
}
