import { describe, expect, it } from '@jest/globals';
import type { Recorded } from '#kernel';
import type { Units } from '#purchasing/model';
import { entriesOf, NO_UNITS } from './stock-ledger.js';

const units = (stock: number | null, held: number, sold: number, codes_left: number | null = null): Units => ({
  ...{ stock, held, sold, codes_left },
});
const event = (revision: number, type: string, data: object): Recorded => ({
  ...{ position: BigInt(revision), stream: 'inventory-spa', revision, id: 'e', type, data },
  metadata: { time: 0, actor: 'system:test', causation: null, command_id: 'c', correlation: 'r' },
});

describe('G7.7: the ledger of a deal’s stock', () => {
  it('has the events that changed units, each with its change, and no others', () => {
    const entries = entriesOf(
      [
        event(0, 'terms-set.v1', { terms: {} }),
        event(1, 'stock-set.v1', units(10, 0, 0)),
        event(2, 'codes-added.v1', units(10, 0, 0, 5)),
        event(3, 'hold-placed.v1', units(10, 2, 0, 5)),
        event(4, 'terms-set.v1', { terms: {} }),
        event(5, 'hold-claimed.v1', units(10, 0, 2, 3)),
        event(6, 'unit-returned.v1', units(10, 0, 1, 3)),
        event(7, 'stock-set.v1', units(7, 0, 1, 3)),
        event(8, 'stock-set.v1', units(7, 0, 1, 3)),
      ],
      NO_UNITS,
    );
    expect(
      entries.map(({ event: { revision }, change }) => [revision, change.stock, change.held, change.sold]),
    ).toEqual([
      [1, 10, 0, 0],
      [3, 0, 2, 0],
      [5, 0, -2, 2],
      [6, 0, 0, -1],
      [7, -3, 0, 0],
    ]);
    expect(entries.at(-1)?.units).toEqual(units(7, 0, 1, 3));
  });

  it('begins with the units before it', () => {
    const [entry] = entriesOf([event(4, 'hold-placed.v1', units(10, 3, 4))], units(10, 1, 4));
    expect(entry?.change).toEqual({ stock: 0, held: 2, sold: 0 });
  });

  it('says of a stock that becomes unlimited, or is not any more, no number', () => {
    const stocks = [null, null, 5, null].map((stock, at) => event(at, 'stock-set.v1', units(stock, at, 0)));
    expect(entriesOf(stocks, NO_UNITS).map(({ change }) => change.stock)).toEqual([null, 0, null, null]);
    expect(entriesOf([event(0, 'stock-set.v1', units(null, 0, 0))], NO_UNITS)).toHaveLength(1);
  });
});
