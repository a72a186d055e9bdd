import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const FILES = globSync('libs/*/**/*.ts')
  .filter(
    (file) =>
      !/^libs\/(kernel|files|erasures-file|backup|eventsourcing|ownership|http|platform|adapters|command-line)\//.test(
        file,
      ),
  )
  .filter((file) => !file.endsWith('.spec.ts'));

/** The files of contexts that call this function. */
const filesThatCall = (name: string): readonly string[] =>
  FILES.filter((file) => new RegExp(`= ${name}[<(]`).test(readFileSync(file, 'utf8')));

describe('a file of a context', () => {
  it('that defines a work list is `x.work.ts`, and no other file is', () => {
    const found = filesThatCall('defineWorkList');
    expect(found.length).toBeGreaterThan(5);
    expect(found.toSorted()).toEqual(FILES.filter((file) => file.endsWith('.work.ts')).toSorted());
  });

  it('that defines followers is the `followers.ts` of the context', () => {
    const found = filesThatCall('defineFollowers');
    expect(found.length).toBeGreaterThan(3);
    expect(found.filter((file) => !/^libs\/[^/]+\/followers\.ts$/.test(file))).toEqual([]);
  });
});
