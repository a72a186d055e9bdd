import { serialize } from 'node:v8';
import { describe, expect, it } from '@jest/globals';
import type { AnyDecider, StateParts } from '#kernel';
import { SnapshotsInMemory } from '../../../test/support/snapshots-in-memory.js';
import { type Fault, nothingChecked } from './fault.js';
import type { KnownStream } from './known-streams.js';
import { SnapshotCheck } from './snapshot-check.js';

interface State {
  readonly total: number;
  readonly open: ReadonlyMap<string, number>;
}

/** A head, and the open ones as a table of columns. */
const form: StateParts<State> = {
  *parts({ total, open }) {
    yield ['head', [{ total }]];
    yield ['open', [{ ids: [...open.keys()], numbers: Float64Array.from(open.values()) }]];
  },
  from(parts) {
    const [[, [head]], [, [table]]] = parts as readonly [
      readonly [string, readonly [Pick<State, 'total'>]],
      readonly [string, readonly [{ readonly ids: readonly string[]; readonly numbers: Float64Array }]],
    ];
    return { ...head, open: new Map(table.ids.map((id, at) => [id, table.numbers[at] ?? 0])) };
  },
};
const decider = { category: 'tally', snapshot: form } as unknown as AnyDecider;
const open = new Map([
  ['a', 1],
  ['b', 2],
]);

/** What is found if the stream is in this state, and its snapshot in another. */
async function found(state: State, stored: State, log = 'log'): Promise<readonly string[]> {
  const store = new SnapshotsInMemory();
  const parts = [...form.parts(stored)].map((part) => serialize(part));
  const name = { stream: 'tally-a', digest: 'aa' };
  await store.put({ ...name, log, revision: 7, position: 9n, event: 'e', first: 'f', parts, checksum: '' });
  const faults: Fault[] = [];
  const checked = nothingChecked();
  const report = (fault: Fault): void => void faults.push(fault);
  const check = new SnapshotCheck({ store, folds: [{ decider, digest: 'aa' }], log: 'log', report, checked });
  const known = { stream: 'tally-a', decider, state, revision: 0, position: 1n, isWhole: true } as KnownStream;
  await check.look(known);
  for (known.revision = 1; known.revision < 9; known.revision += 1) await check.reached(known);
  expect(checked.snapshots).toBe(log === 'log' ? 1 : 0);
  return faults.map(({ where, what }) => `${where}: ${what}`);
}

describe('G7.10: an audit of snapshots', () => {
  it('finds nothing if the snapshot is the state, in whatever order its maps are', async () => {
    const other = new Map([...open].toReversed());
    expect(await found({ total: 3, open }, { total: 3, open: other })).toEqual([]);
  });

  it.each<[string, State]>([
    ['a number', { total: 4, open }],
    ['an entry', { total: 3, open: new Map([['a', 1]]) }],
    ['an entry’s number', { total: 3, open: new Map([...open, ['b', 3]]) }],
  ])('finds that %s is another one', async (_, stored) => {
    expect(await found({ total: 3, open }, stored)).toEqual([
      'tally-a@7: the snapshot of tally-a is not the state that the events lead to',
    ]);
  });

  it('leaves out those of another log', async () => {
    expect(await found({ total: 3, open }, { total: 4, open }, 'another')).toEqual([]);
  });
});
