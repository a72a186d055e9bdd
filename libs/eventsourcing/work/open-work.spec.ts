import { describe, expect, it } from '@jest/globals';
import { defineWorkList, unchanged, type EventOf, type WorkList, type WorkRow } from '#kernel';
import { thisMachine } from '#adapters/machine';
import { openWork, type Work } from './open-work.js';

type Asked = EventOf<'asked.v1', { readonly id: string }>;
const base = {
  name: 'charges',
  version: 1,
  key: () => 'all',
  on: { 'asked.v1': unchanged },
  shown: { does: 'Asks.', about: () => ({}) },
};
const charges = defineWorkList<WorkRow, Asked>(base);
const letters = defineWorkList<WorkRow, Asked>({ ...base, name: 'letters', command: () => [] });
const work = (list: WorkList): Work => ({ list, run: () => Promise.resolve() });

describe('the work of the declared lists', () => {
  const open = (lists: readonly WorkList[], works: readonly Work[]): readonly string[] => {
    const loop = { direct: () => Promise.reject(new Error('nothing is due')) };
    const by = { loop, clock: { now: () => 0 }, randomness: thisMachine.randomness };
    return openWork(lists, works, by).map(({ name }) => name);
  };

  it('is done by their commands, or by a `Work` of the process', () => {
    expect(open([charges, letters], [work(charges)])).toEqual(['charges', 'letters']);
  });

  it('is refused by name if nothing does it', () => {
    expect(() => open([letters, charges], [])).toThrow('the work list charges has nothing that does its work');
  });

  it('is refused by name if no context declares the list', () => {
    expect(() => open([letters], [work(charges)])).toThrow('work for the list charges, which no context declares');
  });

  it('is refused by name if two things do it', () => {
    for (const works of [
      [work(charges), work(charges)],
      [work(charges), work(letters)],
    ]) {
      expect(() => open([charges, letters], works)).toThrow('has two things that do its work');
    }
  });
});
