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
import { fileOf } from ${JSON.stringify(`${root}/dist/apps/relative-imports.js`)};
let same = 0;
const others = [];
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const quick = fileOf(specifier, context);
    if (quick === found.url) same += 1;
    else if (quick !== undefined) others.push([specifier, context.parentURL, quick, found.url]);
    return found;
  },
});
await import(${JSON.stringify(`${root}/dist/libs/platform/index.js`)});
process.stdout.write(JSON.stringify({ same, others }), () => process.exit());
`;

it('a start resolves each import to the file that Node resolves it to', () => {
  const script = join(folder.path, 'ask.mjs');
  writeFileSync(script, ASK(pathToFileURL(process.cwd()).href));
  const { stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const { same, others } = JSON.parse(stdout) as { same: number; others: unknown[] };
  expect(others).toEqual([]);
  expect(same).toBeGreaterThan(1_000);
});
