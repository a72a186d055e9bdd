import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';
import { tempFolder } from '../support/temp-folder.js';

const folder = tempFolder();
afterAll(() => folder.remove());

/** Loads everything that a start loads, and compares each import with what Node resolves. */
const ASK = (root: string): string => `
import { registerHooks } from 'node:module';
import { FoundImports } from ${JSON.stringify(`${root}/dist/apps/found-imports.js`)};
const imports = new FoundImports();
let quick = 0;
const others = [];
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    let asked = false;
    const known = imports.resolve(specifier, context, () => {
      asked = true;
      return found;
    });
    const isSame = known.url === found.url && (known.format ?? found.format) === found.format;
    if (!isSame) others.push([specifier, context.parentURL, known, found]);
    else if (!asked) quick += 1;
    return found;
  },
});
await import(${JSON.stringify(`${root}/dist/libs/platform/index.js`)});
process.stdout.write(JSON.stringify({ quick, others }), () => process.exit());
`;

it('a start resolves each import to the file that Node resolves it to', () => {
  const script = join(folder.path, 'ask.mjs');
  writeFileSync(script, ASK(pathToFileURL(process.cwd()).href));
  const { stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const { quick, others } = JSON.parse(stdout) as { quick: number; others: unknown[] };
  expect(others).toEqual([]);
  expect(quick).toBeGreaterThan(1_500);
});
