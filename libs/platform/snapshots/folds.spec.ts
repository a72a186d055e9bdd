import { globSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, it } from '@jest/globals';
import { foldsOfThisBuild } from './folds.js';
import { KEPT_FOLDS } from './kept-folds.js';

/** What a decider's file exports. */
type Exported = Readonly<Record<string, { readonly category?: string; readonly snapshot?: object } | undefined>>;

// A snapshot is not sealed, so whoever adds a category says that its state holds no personal data.
it('only the states that are named have snapshots', async () => {
  const files = globSync('dist/libs/*/*/*.decider.js');
  expect(files.length).toBeGreaterThan(10);
  const withSnapshots: string[] = [];
  for (const file of files) {
    const exported = (await import(pathToFileURL(file).href)) as Exported;
    for (const each of Object.values(exported))
      if (each?.category !== undefined && each.snapshot !== undefined) withSnapshots.push(each.category);
  }
  expect(Object.keys(KEPT_FOLDS)).toEqual(expect.arrayContaining(withSnapshots));
});

it('each fold has a digest of its own, from files that decide its category', () => {
  const folds = foldsOfThisBuild();
  expect(folds.map(({ decider }) => decider.category)).toEqual(Object.keys(KEPT_FOLDS));
  expect(new Set(folds.map(({ digest }) => digest)).size).toBe(folds.length);
  for (const { decider, digest } of folds) {
    expect(digest).toMatch(/^[0-9a-f]{32}$/);
    const entries = KEPT_FOLDS[decider.category as keyof typeof KEPT_FOLDS];
    expect(
      entries.some((file) => readFileSync(`dist/libs/${file}`, 'utf8').includes(`category: '${decider.category}'`)),
    ).toBe(true);
  }
});
