import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/** How a file is read whole without a bound. */
const WHOLE = /\b(readFile(Sync)?|createReadStream|openAsBlob|readLines)\b/;

/** Who may, and why. */
const REASONS: Readonly<Record<string, string>> = {
  'libs/platform/version.ts': 'package.json of the build itself',
  'libs/platform/engines/place-of.ts': 'a file of the kernel',
};

it('every file that the product reads whole has a bound: `readWithin` is how', () => {
  const sources = globSync(['apps/**/*.ts', 'libs/**/*.ts'], { exclude: (name) => name.endsWith('.spec.ts') });
  const unbounded = sources.filter((source) => WHOLE.test(readFileSync(source, 'utf8')));
  expect(unbounded.toSorted()).toEqual(Object.keys(REASONS).toSorted());
  expect(sources.filter((source) => readFileSync(source, 'utf8').includes('readWithin(')).length).toBeGreaterThan(6);
});
