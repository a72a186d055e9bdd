import { describe, expect, it } from '@jest/globals';
import { ChangedRows } from './changed-rows.js';

const person = (nth: number) => ({ op: 'destroy-key', person: `p${nth}` }) as const;
const named = (nth: number) => ({ kind: 'key', name: `p${nth}` });

/** As many as are remembered. */
const MOST = 200_000;

describe('G12.2: the changed rows', () => {
  it('are remembered only while somebody asks', () => {
    const changed = new ChangedRows();
    changed.note(person(0));
    const { names, mark } = changed.since(undefined);
    expect(names).toEqual([]);
    changed.note(person(1));
    changed.note(person(1));
    changed.note({ op: 'get-key', person: 'p2' });
    const next = changed.since(mark);
    expect(next.names).toEqual([named(1)]);
    for (let nth = 0; nth <= MOST + 1; nth += 1) changed.note(person(nth));
    const after = changed.since(next.mark);
    expect(after.names).toBeUndefined();
    changed.note(person(3));
    expect(changed.since(after.mark).names).toEqual([named(3)]);
  });

  it('are never read anew for one who goes on asking, however many there are', () => {
    const changed = new ChangedRows();
    const { mark: first } = changed.since(undefined);
    let mark = first;
    for (let nth = 0; nth < 3 * MOST; nth += 1) {
      changed.note(person(nth));
      if (nth % 1_000 !== 999) continue;
      for (let part = 1; part <= 4; part += 1) {
        const { names, more, mark: next } = changed.since(mark);
        expect([names?.length, names?.at(-1), more]).toEqual([250, named(nth - 1_000 + part * 250), part < 4]);
        mark = next;
      }
    }
    // One who was away for long must read all rows again.
    expect(changed.since(first).names).toBeUndefined();
  });
});
