import { describe, expect, it } from '@jest/globals';
import { knownEventAt } from '#eventsourcing';
import type { Recorded } from '#kernel';
import { VirtualTime } from '../../../test/support/virtual-time.js';

const EVENT = { id: 'event' } as Recorded;

/** A log whose head, and whose event at position 5, come with time. */
function logWith(time: VirtualTime, { head, event = head }: { readonly head: number; readonly event?: number }) {
  return {
    head: async () => (time.monotonic() >= head ? 5n : 4n),
    eventAt: async () => (time.monotonic() >= event ? EVENT : undefined),
  };
}

/** Asks for the event at position 5, and lets so much time pass. */
async function ask(
  { head, event = head }: { readonly head: number; readonly event?: number },
  passes: number,
  stop?: AbortSignal,
): Promise<{ readonly found: Recorded | undefined | 'nothing yet'; readonly waits: number }> {
  const time = new VirtualTime();
  let found: Recorded | undefined | 'nothing yet' = 'nothing yet';
  let waits = 0;
  void knownEventAt(logWith(time, { head, event }), 5n, {
    time,
    until: () => 5_000,
    waits: () => (waits += 1),
    ...(stop && { stop }),
  }).then((there) => (found = there));
  await time.pass(passes);
  return { found, waits };
}

describe('knownEventAt', () => {
  it('finds an event that is there, without a word', async () => {
    expect(await ask({ head: 0 }, 0)).toEqual({ found: EVENT, waits: 0 });
  });

  it('waits for a log that is behind, and says so once', async () => {
    expect(await ask({ head: 2_000 }, 1_000)).toEqual({ found: 'nothing yet', waits: 1 });
    expect(await ask({ head: 2_000 }, 3_000)).toEqual({ found: EVENT, waits: 1 });
  });

  it('gives up a log that stays behind', async () => {
    expect(await ask({ head: Infinity }, 4_000)).toEqual({ found: 'nothing yet', waits: 1 });
    expect(await ask({ head: Infinity }, 6_000)).toEqual({ found: undefined, waits: 1 });
  });

  it('does not wait for a log that has gone on without the event', async () => {
    expect(await ask({ head: 0, event: Infinity }, 0)).toEqual({ found: undefined, waits: 0 });
  });

  it('finds an event that comes just before the log says that it reaches it', async () => {
    const answers = [undefined, EVENT];
    const log = { head: async () => 5n, eventAt: async () => answers.shift() };
    expect(await knownEventAt(log, 5n, { time: new VirtualTime(), until: () => 5_000 })).toBe(EVENT);
  });

  it('waits no more once it is stopped', async () => {
    expect(await ask({ head: Infinity }, 0, AbortSignal.abort())).toEqual({ found: undefined, waits: 0 });
  });
});
