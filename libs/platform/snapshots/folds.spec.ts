import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { deciders } from '../registry.js';
import { foldsOfThisBuild } from './folds.js';
import { KEPT_FOLDS } from './kept-folds.js';

// A snapshot is not sealed, so whoever adds a category says that its state holds no personal data.
it('only the states that are named have snapshots', () => {
  const withSnapshots = deciders.filter(({ snapshot }) => snapshot !== undefined).map(({ category }) => category);
  expect(Object.keys(KEPT_FOLDS).toSorted()).toEqual(withSnapshots.toSorted());
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
