import { describe, expect, it } from '@jest/globals';
import { obsoleteVersions } from './obsolete-versions.js';

describe('obsolete versions of a view', () => {
  it.each([
    { what: 'none of a first version', found: [1, 1], present: 1, obsolete: [] },
    { what: 'not the one before', found: [1, 2], present: 2, obsolete: [] },
    {
      what: 'all before the one before, whose number may be much smaller',
      found: [2, 1, 9, 2, 4],
      present: 9,
      obsolete: [2, 1],
    },
    { what: 'not those of a newer build', found: [1, 2, 3, 8], present: 3, obsolete: [1] },
  ])('are $what', ({ found, present, obsolete }) => {
    expect(obsoleteVersions(found, present)).toEqual(obsolete);
  });
});
