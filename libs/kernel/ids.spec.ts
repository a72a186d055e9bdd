import { describe, expect, it } from '@jest/globals';
import { eventId, newCommandId, timeOfCommandId } from '#kernel';

describe('command and event ids', () => {
  it('B2: a command id is a UUID of version 7 that carries its time', () => {
    const id = newCommandId(1_700_000_000_123);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{8}0000$/);
    expect(timeOfCommandId(id)).toBe(1_700_000_000_123);
  });

  it('gives every event of a command an id of its own, in order', () => {
    const id = newCommandId(1);
    expect(eventId(id, 0)).toBe(id);
    expect(eventId(id, 258).slice(-4)).toBe('0102');
    expect(() => eventId(id, 65_536)).toThrow(RangeError);
  });

  it('never repeats, however fast', () => {
    const ids = new Set(Array.from({ length: 20_000 }, () => newCommandId(5)));
    expect(ids.size).toBe(20_000);
  });
});
