import { describe, expect, it } from '@jest/globals';
import { isOwnEventId, newCommandId, newEventId, timeOfCommandId } from '#kernel';

describe('command and event ids', () => {
  it('B2: a command id is a UUID of version 7 that carries its time', () => {
    const id = newCommandId(1_700_000_000_123);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{8}0000$/);
    expect(timeOfCommandId(id)).toBe(1_700_000_000_123);
  });

  it('never repeats, however fast', () => {
    const ids = new Set(Array.from({ length: 20_000 }, () => newCommandId(5)));
    expect(ids.size).toBe(20_000);
  });

  // EventStoreDB takes a known id for a repeat, whatever its data is: so no two events may ever share one.
  it('an event id is a UUID in small letters that is never made again', () => {
    const ids = Array.from({ length: 20_000 }, () => newEventId());
    expect(new Set(ids).size).toBe(20_000);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('an event id tells whether this process has made it', () => {
    expect(isOwnEventId(newEventId())).toBe(true);
    expect(isOwnEventId(newCommandId(1_700_000_000_123))).toBe(false);
  });
});
