import { describe, expect, it } from '@jest/globals';
import type { Position, Recorded } from '#kernel';
import type { Batch } from '../ports/event-log.js';
import { WholeLog } from './whole-log.js';

const event = (position: Position): Recorded => ({ position, type: 't.v1' }) as Recorded;

describe('the whole log', () => {
  const of = (batches: readonly Batch[]): WholeLog =>
    new WholeLog({
      codec: { decode: (each) => ({ ...each, type: 't.v2' }), categories: [], names: ['t.v1', 't.v2'] },
      log: {
        countsBytes: false,
        head: async () => 5n,
        eventAt: async (position) => (position === 2n ? event(2n) : undefined),
        async *subscribe() {
          yield* batches;
        },
      },
    });
  const read = async (log: WholeLog, until: Position, signal = new AbortController().signal): Promise<Position[]> => {
    const positions: Position[] = [];
    for await (const events of log.between(0n, until, signal)) positions.push(...events.map((each) => each.position));
    return positions;
  };
  const batch = (positions: readonly Position[], caughtUp = false): Batch => ({
    events: positions.map(event),
    caughtUp,
  });

  it('is read up to a position, in the present versions', async () => {
    const log = of([batch([1n, 2n]), batch([3n, 5n]), batch([6n], true)]);
    expect(await read(log, 3n)).toEqual([1n, 2n, 3n]);
    expect(await read(log, 4n)).toEqual([1n, 2n, 3n]);
    expect(await read(log, 5n)).toEqual([1n, 2n, 3n, 5n]);
    expect(await read(log, 0n)).toEqual([]);
    expect([await log.at(2n), await log.at(3n), await log.end()]).toEqual([
      { position: 2n, type: 't.v2' },
      undefined,
      5n,
    ]);
  });

  it('ends where the log has nothing more, also if its last event is not delivered', async () => {
    expect(await read(of([batch([1n, 2n], true)]), 5n)).toEqual([1n, 2n]);
  });

  it('is read from the position of an event, which is itself read', async () => {
    const range = async (log: WholeLog, first: Position, last: Position): Promise<Position[]> => {
      const found: Position[] = [];
      for await (const events of log.range(first, last, new AbortController().signal))
        found.push(...events.map((each) => each.position));
      return found;
    };
    const log = of([batch([3n, 5n]), batch([6n], true)]);
    expect(await range(log, 2n, 2n)).toEqual([2n]);
    expect(await range(log, 2n, 4n)).toEqual([2n, 3n]);
    expect(await range(log, 2n, 9n)).toEqual([2n, 3n, 5n, 6n]);
    await expect(range(log, 3n, 5n)).rejects.toThrow('the event log lacks the event that was at position 3');
  });

  it('never seems to have ended if the log closes; whoever has left gets no error', async () => {
    await expect(read(of([batch([1n])]), 5n)).rejects.toThrow('closing');
    expect(await read(of([batch([1n])]), 5n, AbortSignal.abort())).toEqual([1n]);
  });
});
