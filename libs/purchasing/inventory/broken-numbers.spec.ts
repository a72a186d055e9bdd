import { describe, expect, it } from '@jest/globals';
import { BrokenEvent, Codec } from '#eventsourcing';
import type { Recorded } from '#kernel';
import { stateOf } from '../../../test/support/given-when-then.js';
import {
  START,
  checkoutOf,
  claimOf,
  closeOf,
  closeResaleOf,
  placeOf,
  releaseOf,
  resaleOf,
  returnOf,
  terms,
} from '../../../test/support/sale.js';
import { inventory, type InventoryCommand } from './inventory.decider.js';
import { inventoryEvents, type InventoryEvent } from './inventory.events.js';
import { inventoryParts } from './snapshot.rules.js';

const COMMANDS: readonly InventoryCommand[] = [
  { type: 'set-terms', terms: terms() },
  ...[placeOf('claimed', 2), claimOf('claimed', 'ann', 2, 0), returnOf('claimed', 'ann', 1)],
  ...[placeOf('released'), releaseOf('released', 1), claimOf('released', 'ann', 1, 1)],
  ...[checkoutOf('charged', 'ann'), closeOf('charged', true)],
  ...[checkoutOf('declined', 'ann'), closeOf('declined', false)],
  ...[resaleOf('resold', 'p1'), closeResaleOf('resold', 'p1', true)],
  ...[resaleOf('abandoned', 'p2'), closeResaleOf('abandoned', 'p2', false)],
  ...[placeOf('open'), checkoutOf('opened', 'ann'), resaleOf('started', 'p3')],
];

const events = COMMANDS.reduce<readonly InventoryEvent[]>((before, command) => {
  const decided = inventory.decide(command, stateOf(inventory, before), START, before.length);
  expect(decided).toHaveLength(1);
  return [...before, ...decided];
}, []);

const metadata = { time: START, command_id: 'c', correlation: 'r', causation: null, actor: 'a' };
const stored = events.map((event, revision): Recorded => ({
  ...event,
  ...{ id: `e${revision}`, stream: 'inventory-spa', revision, position: BigInt(revision), metadata },
}));

const IMPOSSIBLE = [2 ** 31, 2 ** 52, 1e300, -1, 0.5] as const;
/** The numbers by which a state grows. */
const GROWING = ['number', 'unit', 'quantity'] as const;

describe('D1: an event whose number no deal can have given out', () => {
  const codec = new Codec([inventoryEvents]);
  const cases = stored.flatMap((event) =>
    GROWING.filter(
      (name) => name in event.data && !(name === 'quantity' && /^hold-(rel|exp)/.test(event.type)),
    ).flatMap((name) => IMPOSSIBLE.map((value) => [event.type, name, value, event] as const)),
  );

  it.each(cases)('%s with the %s %d is refused by name, and never folded', (type, name, value, event) => {
    expect(codec.decode(event)).toBe(event);
    const broken = { ...event, data: { ...event.data, [name]: value } };
    expect(() => codec.decode(broken)).toThrow(BrokenEvent);
    expect(() => codec.decode(broken)).toThrow(`inventory-spa@${event.revision} (${type}) is broken: its ${name} is `);
  });

  it('is of one of these types', () => {
    expect(new Set(cases.map(([type]) => type)).size).toBe(11);
  });
});

describe('D1: a snapshot whose numbers no deal can have', () => {
  const state = stateOf(inventory, events);
  type Part = readonly [name: string, entries: readonly unknown[]];
  const parts = [...inventoryParts.parts(state)] as readonly Part[];
  /** The parts after a change of the entries of one of them. */
  const changed = (name: string, change: (entry: never) => unknown): readonly Part[] =>
    parts.map(([each, entries]) => [each, each === name ? entries.map((entry) => change(entry as never)) : entries]);

  it.each([
    ...[-1, 0.5, 2 ** 32].map((value) => ['next_number', value, 'the next number of a deal'] as const),
    ...[-1, 0.5, 2 ** 32].map((value) => ['next_unit', value, 'the next unit of a deal'] as const),
    ...[0.5, NaN, 2 ** 53].map((value) => ['held', value, 'units must be integers'] as const),
    ...[0.5, NaN, 2 ** 53].map((value) => ['sold', value, 'units must be integers'] as const),
  ])('with %s %d is refused by name', (name, value, message) => {
    expect(inventoryParts.from(parts)).toEqual(state);
    const impossible = changed('head', (head: object) => ({ ...head, [name]: value }));
    expect(() => inventoryParts.from(impossible)).toThrow(message);
  });

  it.each([
    ['holds', (holds: object, number: number) => ({ ...holds, numbers: Float64Array.of(number) })],
    ['checkouts', ([id, open]: [string, object], number: number) => [id, { ...open, number }]],
    ['resales', ([id, open]: [string, object], number: number) => [id, { ...open, number }]],
  ])('with %s whose number the deal has not given out', (name, withNumber) => {
    for (const number of [state.next_number, -1, 0.5, 2 ** 52]) {
      const impossible = changed(name, (entry) => withNumber(entry, number));
      expect(() => inventoryParts.from(impossible)).toThrow('the number of what is open must be a whole number');
    }
  });

  it.each([
    ['holds', ['numbers', 'quantities', 'deadlines', 'holders', 'maxima']],
    ['queue', ['deadlines']],
  ])('with %s of which a field has fewer', (name, fields) => {
    for (const field of fields) {
      const torn = changed(name, (entry: object) => ({ ...entry, [field]: [] }));
      expect(() => inventoryParts.from(torn)).toThrow('a part of a snapshot is too short');
    }
  });

  it.each(['sold_numbers', 'returned', 'unitsOfUser'])('with %s that are no set or table', (name) => {
    const torn = changed(name, () => Float64Array.of(0.5));
    expect(() => inventoryParts.from(torn)).toThrow(RangeError);
  });
});
