import { describe, expect, it } from '@jest/globals';
import type { Writer } from '#eventsourcing';
import type { Recorded } from '#kernel';
import { LedgerOfDeal, LedgerOfDealHandler } from './ledger.queries.js';

/** The units are held one by one, after as many changes of the terms as the test says. */
function streamOf(terms: number, holds: number): readonly Recorded[] {
  return Array.from({ length: terms + 1 + holds }, (_, revision) => {
    const held = Math.max(0, revision - terms);
    const isTold = revision === 0 || held > 0;
    return {
      ...{ position: BigInt(revision), stream: 'inventory-spa', revision, id: 'e' },
      type: isTold ? (revision === 0 ? 'stock-set.v1' : 'hold-placed.v1') : 'terms-set.v1',
      data: isTold ? { stock: 500, held, sold: 0, codes_left: null } : { terms: {} },
      metadata: { time: 0, actor: 'system:test', causation: null, command_id: 'c', correlation: 'r' },
    };
  });
}

/** A log that gives a few events at a time. @param lacks revisions that somebody cut */
function handlerOf(stream: readonly Recorded[], lacks: ReadonlySet<number> = new Set()) {
  const reads: number[] = [];
  const events = async (_: string, { from, most }: { from: number; most: number }): Promise<readonly Recorded[]> => {
    const found = stream.filter(({ revision }) => revision >= from && !lacks.has(revision)).slice(0, Math.min(most, 7));
    reads.push(found.length);
    return found;
  };
  return { reads, handler: new LedgerOfDealHandler({ events } as unknown as Writer) };
}

describe('G7.7: a part of the ledger', () => {
  it('begins with the units that the event before it told, and reads no other', async () => {
    const { handler, reads } = handlerOf(streamOf(0, 100));
    const { entries, next } = await handler.execute(new LedgerOfDeal('spa', 90, 2));
    expect(entries.map(({ change, units }) => [change.held, units.held])).toEqual([
      [1, 90],
      [1, 91],
    ]);
    expect(next).toBe(92);
    expect(reads).toEqual([3, 1]);
  });

  it('looks for them behind any number of events that told none', async () => {
    for (const terms of [1, 2, 20, 400]) {
      const { handler } = handlerOf(streamOf(terms, 3));
      const { entries } = await handler.execute(new LedgerOfDeal('spa', terms + 1, 2));
      expect([terms, entries[0]?.change]).toEqual([terms, { stock: 0, held: 1, sold: 0 }]);
      const all = await handler.execute(new LedgerOfDeal('spa', 0, 1));
      expect(all.entries[0]?.change).toEqual({ stock: 500, held: 0, sold: 0 });
    }
  });

  it('is the difference to the last event that is left, if the log lacks some', async () => {
    const { handler } = handlerOf(streamOf(0, 30), new Set([18, 19, 20]));
    const { entries } = await handler.execute(new LedgerOfDeal('spa', 20, 1));
    expect([entries[0]?.event.revision, entries[0]?.change.held]).toEqual([21, 4]);
  });
});
