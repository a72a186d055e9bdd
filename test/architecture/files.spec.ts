import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/** Reads that have no limit. */
const WHOLE = /\b(readFile(Sync)?|createReadStream|openAsBlob|readLines)\b/;

/** The files that may use them, with the reason. */
const REASONS: Readonly<Record<string, string>> = {
  'apps/quick-start.ts': 'the list of bundled files, which the build wrote',
  'libs/adapters/embedded/log/failpoint.ts': 'the order of a test',
  'libs/adapters/smtp/smtp-mailer.ts': 'the bytes of a mail in memory, no file',
  'libs/command-line/files.ts': 'an import of any length, in pieces; the body of a call, up to its limit',
  'libs/command-line/package.ts': 'package.json of the build itself',
  'libs/console/assets.ts': 'what the build has made of the page of the console',
  'libs/platform/build.ts': 'package.json and build.json of the build itself',
  'libs/platform/engines/folder-identity.ts': 'a file of the kernel',
};

it('the product reads every whole file with a limit, through `readWithin`', () => {
  const sources = globSync(['apps/**/*.ts', 'libs/**/*.ts'], { exclude: (name) => name.endsWith('.spec.ts') });
  const unbounded = sources.filter((source) => WHOLE.test(readFileSync(source, 'utf8')));
  expect(unbounded.toSorted()).toEqual(Object.keys(REASONS).toSorted());
  expect(sources.filter((source) => readFileSync(source, 'utf8').includes('readWithin(')).length).toBeGreaterThan(6);
});
