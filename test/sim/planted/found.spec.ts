import { describe, expect, it } from '@jest/globals';
import { defects } from './defects.js';
import { FOUND, foundIn } from './found.js';
import { idsToFind, planted, withoutEffect } from './list.js';

/** Faults that no seed finds yet: none. Another one here needs a reason in docs/simulation.md. */
const OPEN: readonly string[] = [];

describe('the table of planted faults', () => {
  const found = foundIn(FOUND);
  const planned = [...defects().map(({ id }) => id), ...idsToFind()].sort();

  it('has each old defect, and each drawn mutant that has an effect, once', () => {
    expect(found.map(({ id }) => id)).toEqual(planned);
    const without = new Set(withoutEffect().map(({ id }) => id));
    expect(planned.filter((id) => without.has(id))).toEqual([]);
  });

  it('says of all but the open ones how many seeds it took, in which worlds, and what failed', () => {
    expect(found.filter(({ seeds }) => seeds === null).map(({ id }) => id)).toEqual(OPEN);
    for (const { id, what, commands, seeds, words } of found) {
      expect(what).toBe(planted(id).description.replaceAll('\n', ' '));
      expect(commands).toBeGreaterThan(0);
      if (seeds !== null) expect(words).not.toMatch(/NOT FOUND|^$/);
    }
  });
});
