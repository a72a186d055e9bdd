import { describe, expect, it } from '@jest/globals';
import { MINUTE } from '#kernel';
import { ExportWatch } from './export-watch.js';

describe('G9: what is said of lost spans', () => {
  it('is said once, and again when none were lost for a minute', () => {
    let now = 0;
    const said: unknown[] = [];
    const watch = new ExportWatch({ monotonic: () => now }, (...words) => said.push(words));
    watch.exported();
    watch.lost(3, 'away');
    watch.lost(2, 'still away');
    watch.exported();
    now += MINUTE - 1;
    watch.lost(1, 'away');
    now += MINUTE - 1;
    watch.exported();
    expect(said).toEqual([['away', 3]]);
    now += 1;
    watch.exported();
    watch.exported();
    expect(said.slice(1)).toEqual([[undefined, 6]]);
    watch.lost(1, 'away again');
    expect(said.slice(2)).toEqual([['away again', 7]]);
  });
});
