import { describe, expect, it } from '@jest/globals';
import { Unavailable, type Batch } from '#eventsourcing';
import { walkLog } from '#eventsourcing/verify';
import type { Recorded } from '#kernel';

/** Walks over events 1 to 3 of a log that then fails. */
async function walkedUntil(failure: Error): Promise<{ taken: bigint[]; unreadable: string[]; count: number }> {
  const taken: bigint[] = [];
  const unreadable: string[] = [];
  const count = await walkLog(
    {
      log: {
        async *subscribe(): AsyncGenerator<Batch, void> {
          yield { events: [1n, 2n, 3n].map((position) => ({ position }) as Recorded), caughtUp: false };
          await Promise.reject(failure);
        },
      },
      codec: { decode: (event) => event },
      checks: [{ take: ({ position }) => void taken.push(position) }],
      between: () => undefined,
      unreadable: ({ message }) => unreadable.push(message),
      signal: new AbortController().signal,
    },
    0n,
    9n,
  );
  return { taken, unreadable, count };
}

describe('G7.10: a walk through the log', () => {
  it('ends where the log cannot be read, and says so', async () => {
    const words = 'the event at position 4 is not JSON';
    expect(await walkedUntil(new Error(words))).toEqual({ taken: [1n, 2n, 3n], unreadable: [words], count: 3 });
  });

  it('takes no log that is away for a moment for a broken one', async () => {
    await expect(walkedUntil(new Unavailable('away'))).rejects.toThrow(Unavailable);
  });
});
