import { expect, it } from '@jest/globals';
import { Map } from 'immutable';
import { defineDecider, type Recorded } from '#kernel';
import { KnownStreams, stateOf } from './known-streams.js';

/** Counts its events by their types, in a map that folds change in place. */
const counting = defineDecider<never, Map<string, number>, Recorded>({
  category: 'counting',
  initialState: Map(),
  evolve: (state, { type }) => state.update(type, 0, (count) => count + 1),
  transient: { asMutable: (state) => state.asMutable(), asImmutable: (state) => state.asImmutable() },
  decide: () => [],
});

const event = (revision: number, type: string): Recorded => ({
  ...{ stream: 'counting-a', revision, type, data: {}, id: `${revision}`, position: BigInt(revision + 1) },
  metadata: { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'a' },
});

it('G7.10: a state that was asked for stays as it is, whatever is folded afterwards', () => {
  const streams = new KnownStreams({
    log: { readStream: async () => Promise.resolve([]) },
    codec: { decode: (each) => each },
    deciders: [counting],
    rules: [],
    bytes: 1_000_000,
  });
  const known = streams.begin('counting-a');
  if (known === undefined) throw new Error('no decider has such streams');
  streams.fold(known, event(0, 'one'));
  streams.fold(known, event(1, 'one'));
  const state = stateOf(known) as Map<string, number>;
  // Nothing that is done with it changes the stream.
  state.set('one', 100);
  streams.fold(known, event(2, 'one'));
  streams.fold(known, event(3, 'other'));
  expect(state.toObject()).toEqual({ one: 2 });
  expect((stateOf(known) as Map<string, number>).toObject()).toEqual({ one: 3, other: 1 });
  expect(counting.initialState.toObject()).toEqual({});
});
