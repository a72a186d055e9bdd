import { describe, expect, it } from '@jest/globals';
import { Shown } from './shown.js';

const at = (position: bigint, back = 0): { readonly position: bigint; readonly back: number } => ({ position, back });

describe('H6.1: what an answer shows of the log', () => {
  it('is nothing if nothing was read and written', () => {
    expect(new Shown().place(undefined)).toBeUndefined();
  });

  it('is the last position that all its views have reached, if it covers every row', () => {
    const shown = new Shown();
    shown.reached(9n);
    shown.reached(7n);
    shown.row(at(5n));
    expect(shown.place(undefined)).toEqual(at(7n));
  });

  it('is that of its newest row, if the row was ahead of its view; and what the call wrote', () => {
    const shown = new Shown();
    shown.reached(7n);
    shown.row(at(8n));
    shown.row(at(3n));
    expect(shown.place(undefined)).toEqual(at(8n));
    expect(shown.place(11n)).toEqual(at(11n));
  });

  // Commands that wait for one stream are written in one append: the answer of the first does not show the second.
  it('ends before events of the same append that may have changed a row again', () => {
    const shown = new Shown();
    shown.row(at(20n, 2));
    expect(shown.place(24n)).toEqual(at(20n, 2));
    shown.row(at(20n, 3));
    expect(shown.place(24n)).toEqual(at(20n, 3));
  });

  it('is what was found to be exact, or at no position', () => {
    const shown = new Shown();
    shown.reached(7n);
    shown.row(at(9n));
    shown.exactly(8n);
    expect(shown.place(undefined)).toEqual(at(8n));
    shown.exactly(undefined);
    expect(shown.place(undefined)).toBeUndefined();
  });
});
