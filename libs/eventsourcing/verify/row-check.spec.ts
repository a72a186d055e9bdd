import { describe, expect, it } from '@jest/globals';
import type { Position, Recorded } from '#kernel';
import { tallyView } from '../../../test/support/tally.js';
import { type Fault, nothingChecked } from './fault.js';
import { WHOLE } from './part.js';
import { RowCheck, type RowReader } from './row-check.js';

type Row = object;

function added(position: number, stream: string, total: number): Recorded {
  const metadata = { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'a' };
  const data = { key: `k${position}`, total, at: 1, copies: [], filling: '' };
  return {
    type: 'added.v1',
    data,
    id: `${position}`,
    stream,
    revision: total - 1,
    position: BigInt(position),
    metadata,
  };
}

/** Events of two tallies. */
const EVENTS = [added(1, 'tally-a', 1), added(2, 'tally-b', 1), added(3, 'tally-a', 2)];

/** The stored rows after so many events. */
function rowsAfter(count: number): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const event of EVENTS.slice(0, count)) {
    const row = tallyView.apply(rows.get(event.stream) as never, event, event.stream);
    if (row !== undefined) rows.set(event.stream, row);
  }
  return rows;
}

/** What is found in stored rows. @param seen how far the view is, each time that somebody asks */
async function foundIn(
  stored: () => ReadonlyMap<string, Row>,
  seen: () => Position,
  until = 3,
): Promise<readonly string[]> {
  const faults: Fault[] = [];
  const reader = {
    get: async (key: string) => {
      const row = stored().get(key);
      return row && { row, position: 0n, key };
    },
    texts: async (keys: readonly string[]) => {
      const rows = stored();
      return new Map(keys.filter((key) => rows.has(key)).map((key) => [key, JSON.stringify(rows.get(key))]));
    },
    position: async () => seen(),
  } as RowReader;
  const check = new RowCheck({
    views: [{ view: tallyView, reader }],
    part: WHOLE,
    report: (fault) => void faults.push(fault),
    checked: nothingChecked(),
    between: () => Promise.resolve(),
    wait: () => Promise.resolve(),
  });
  for (const event of EVENTS.slice(0, until)) check.take(event, event);
  await check.compare(async (to) => {
    for (const event of EVENTS.slice(until)) if (event.position <= to) check.take(event, event);
  });
  return [...faults.map(({ where, what }) => `${where}: ${what}`), ...Object.values(check.without)];
}

describe('G7.10: an audit of rows', () => {
  it('finds nothing in the rows that the events lead to', async () => {
    expect(
      await foundIn(
        () => rowsAfter(3),
        () => 3n,
      ),
    ).toEqual([]);
  });

  it('finds nothing in a row that says the same in another order', async () => {
    const rows = new Map(
      [...rowsAfter(3)].map(([key, row]) => [key, Object.fromEntries(Object.entries(row).toReversed())]),
    );
    expect(JSON.stringify([...rows])).not.toBe(JSON.stringify([...rowsAfter(3)]));
    expect(
      await foundIn(
        () => rows,
        () => 3n,
      ),
    ).toEqual([]);
  });

  it('finds a row that differs, and names the field; and one that is missing', async () => {
    const rows = rowsAfter(3).set('tally-a', { total: 7, keys: ['k1', 'k3'] });
    expect(
      await foundIn(
        () => rows,
        () => 3n,
      ),
    ).toEqual(['tallies > tally-a: its total is not what the events lead to']);
    rows.delete('tally-a');
    expect(
      await foundIn(
        () => rows,
        () => 3n,
      ),
    ).toEqual(['tallies > tally-a: the view lacks this row']);
  });

  it('looks at a row again that has changed since', async () => {
    expect(
      await foundIn(
        () => rowsAfter(3),
        () => 3n,
        2,
      ),
    ).toEqual([]);
  });

  it('still finds the wrong row among those that have changed since', async () => {
    const rows = rowsAfter(3).set('tally-b', { total: 7, keys: [] });
    expect(
      await foundIn(
        () => rows,
        () => 3n,
        2,
      ),
    ).toEqual(['tallies > tally-b: its total is not what the events lead to']);
  });

  it('waits for a view that is behind, and says nothing of one that stays behind', async () => {
    let looks = 0;
    const late = (): number => ((looks += 1) < 6 ? 2 : 3);
    expect(
      await foundIn(
        () => rowsAfter(late()),
        () => BigInt(looks < 6 ? 2 : 3),
      ),
    ).toEqual([]);
    expect(
      await foundIn(
        () => rowsAfter(2),
        () => 2n,
      ),
    ).toEqual(['1 rows changed while they were compared']);
  });
});
