import { execFile } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { plantedSources, plantIn } from '../../sim/planted/plant.js';
import { transpile } from '../../sim/planted/transpile.js';
import { itInFull } from '../../support/alone.js';
import { tempFolder } from '../../support/temp-folder.js';
import { type Finder, faults } from './faults.js';

/** Milliseconds: a planted fault may let a test wait for what never comes; without one it takes a minute on a busy machine. */
const WITHIN = 150_000;
/** The same for a whole spec: what prepares a test and cleans up has its own time, and one title may stand for several cases. */
const SPEC_WITHIN = 8 * WITHIN;

describe('faults planted in how the log of a server is met', () => {
  it.each(faults())('%s: has its place in the sources, and a test that finds it', (_, fault, finder) => {
    for (const [file, text] of plantedSources(fault)) expect(transpile(file, text)).not.toBe('');
    expect(finder).toBeDefined();
  });

  itInFull.each(faults())(
    '%s: is found',
    async (_, fault, finder) => {
      const folder = tempFolder();
      try {
        plantIn(folder.path, fault);
        expect(await failed(folder.path, finder as Finder)).toEqual([
          expect.stringContaining((finder as Finder).title),
        ]);
      } finally {
        folder.remove();
      }
    },
    SPEC_WITHIN,
  );
});

/** Runs a test in a copy of the compiled tree. @returns its title, if it failed */
async function failed(folder: string, { spec, title }: Finder): Promise<readonly string[]> {
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--rootDir', folder, '--json'];
  const which = ['--runTestsByPath', `dist/${spec}`, '-t', title, `--testTimeout=${WITHIN}`];
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, [...jest, ...which], { cwd: folder, maxBuffer: 2 ** 26 }, (_, out) => resolve(out));
  });
  const { testResults } = JSON.parse(printed) as {
    readonly testResults: readonly { readonly assertionResults: readonly { title: string; status: string }[] }[];
  };
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  // One title may stand for several cases.
  return [...new Set(all.filter(({ status }) => status === 'failed').map((result) => result.title))];
}
