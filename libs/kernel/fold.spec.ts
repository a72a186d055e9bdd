import { describe, expect, it } from '@jest/globals';
import {
  defineDecider,
  defineFollowers,
  defineView,
  defineWorkList,
  nothing,
  rowAfter,
  unchanged,
  type EventOf,
  type Fold,
  type Recorded,
  type WorkRow,
} from '#kernel';

type Opened = EventOf<'opened.v1', { readonly id: string; readonly at: number }>;
type Noted = EventOf<'noted.v1', { readonly id: string }>;
type Known = Opened | Noted;
/** The union, once a developer has added an event. */
type Grown = Known | EventOf<'closed.v1', { readonly id: string }>;

const known: Fold<WorkRow, Known> = { 'opened.v1': (_, { data }) => ({ due_at: data.at }), 'noted.v1': unchanged };
const recorded = (type: string, data: object): Recorded => ({
  ...{ type, data, id: 'e', stream: 'door-a', revision: 0, position: 1n },
  metadata: { time: 0, command_id: 'c', correlation: 'c', causation: null, actor: 'a' },
});

describe('a fold table', () => {
  it('receives the events whose entry changes something', () => {
    const view = defineView<WorkRow, Known>({ name: 'doors', version: 1, key: ({ data }) => data.id, on: known });
    expect([...view.types]).toEqual(['opened.v1']);
    expect(view.apply(undefined, recorded('opened.v1', { id: 'a', at: 3 }), 'a')).toEqual({ due_at: 3 });
    const row = { due_at: 3 };
    expect(view.apply(row, recorded('noted.v1', { id: 'a' }), 'a')).toBe(row);
    expect(view.apply(row, recorded('never-heard-of.v1', {}), 'a')).toBe(row);
  });

  it('gives commands the same row as the view', () => {
    const opened = { type: 'opened.v1', data: { id: 'a', at: 3 } } as const;
    expect(rowAfter(known, undefined, opened, 'a')).toEqual({ due_at: 3 });
  });

  it('does not compile while an event of the union has no entry: in a fold, a view, a work list, the followers', () => {
    // @ts-expect-error closed.v1 has no entry
    const fold: Fold<WorkRow, Grown> = known;
    const named = { name: 'doors', version: 1, key: () => 'all', shown: { does: 'Shuts doors.', about: () => ({}) } };
    // @ts-expect-error closed.v1 has no entry
    defineView<WorkRow, Grown>({ ...named, on: known });
    // @ts-expect-error closed.v1 has no entry
    defineWorkList<WorkRow, Grown>({ ...named, on: known, command: () => [] });
    const door = defineDecider<never, null, Grown>({
      ...{ category: 'door', initialState: null, decide: () => [], evolve: () => null },
    });
    // @ts-expect-error closed.v1 has no entry
    const followers = defineFollowers(door, { 'opened.v1': nothing, 'noted.v1': nothing });
    expect([Object.keys(fold), Object.keys(followers.on)]).toEqual([['opened.v1', 'noted.v1'], []]);
  });

  it('does not compile with an entry for an event that is not of the union', () => {
    // @ts-expect-error closed.v1 is no event of the union
    const fold: Fold<WorkRow, Known> = { ...known, 'closed.v1': unchanged };
    expect(Object.keys(fold)).toHaveLength(3);
  });
});
