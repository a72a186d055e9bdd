import { describe, expect, it } from '@jest/globals';
import { gapFinding } from '#eventsourcing';

const events = (...revisions: number[]): { revision: number }[] => revisions.map((revision) => ({ revision }));

describe('a gap in a stream', () => {
  it.each<[string, number, number[]]>([
    ['nothing read', 4, []],
    ['the first events', 0, [0, 1, 2]],
    ['events that continue the known ones', 4, [4, 5]],
  ])('does not exist in %s', (_, from, revisions) => {
    expect(gapFinding('inventory-a', from, events(...revisions))).toBeUndefined();
  });

  it.each<[string, number, number[], number, number]>([
    ['before the first event, as after a deletion or $maxCount', 0, [6, 7], 0, 6],
    ['after the known events', 3, [5], 3, 5],
    ['between them', 0, [0, 1, 3], 2, 3],
    ['if one comes twice', 0, [0, 0, 1], 1, 0],
  ])('is found %s, and named', (_, from, revisions, expected, found) => {
    const finding = gapFinding('inventory-a', from, events(...revisions));
    expect(finding).toMatchObject({ stream: 'inventory-a', code: expect.stringMatching(/^[0-9a-f]{12}$/) });
    expect(finding?.words).toContain(`inventory-a has lost events: revision ${expected} was expected, but ${found}`);
  });

  // A setting that an operator leaves in place accepts this gap, and no later one.
  it('has its own code', () => {
    const codes = [
      gapFinding('inventory-a', 0, events(6)),
      gapFinding('inventory-a', 0, events(7)),
      gapFinding('inventory-a', 1, events(6)),
      gapFinding('inventory-b', 0, events(6)),
    ].map((finding) => finding?.code);
    expect(new Set(codes).size).toBe(4);
    expect(gapFinding('inventory-a', 0, events(6, 7))?.code).toBe(codes[0]);
  });
});
