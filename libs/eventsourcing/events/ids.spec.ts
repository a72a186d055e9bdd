import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { EventIds, madeAt, newCommandId } from '#eventsourcing';

const { randomness } = thisMachine;

describe('command and event ids', () => {
  it('B2: a command id is a UUID of version 7 that carries its time', () => {
    const id = newCommandId(1_700_000_000_123, randomness);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(madeAt(id)).toBe(1_700_000_000_123);
    expect(madeAt(new EventIds(randomness).next())).toBe(0);
  });

  it('never repeats, however fast', () => {
    const ids = new Set(Array.from({ length: 20_000 }, () => newCommandId(5, randomness)));
    expect(ids.size).toBe(20_000);
  });

  // EventStoreDB takes a known id as a repeat, whatever its data: no two events may ever share one.
  it('an event id is a lower-case UUID that is never made again', () => {
    const processes = [new EventIds(randomness), new EventIds(randomness)];
    const ids = processes.flatMap((made) => Array.from({ length: 20_000 }, () => made.next()));
    expect(new Set(ids).size).toBe(40_000);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('an event id shows whether this process made it', () => {
    const made = new EventIds(randomness);
    expect(made.has(made.next())).toBe(true);
    expect(made.has(new EventIds(randomness).next())).toBe(false);
    expect(made.has(newCommandId(1_700_000_000_123, randomness))).toBe(false);
  });
});
