import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedLog } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { LogFollower, NO_STREAM, type EventLog } from '#eventsourcing';
import type { Position } from '#kernel';
import { join } from 'node:path';
import { added } from '../../../test/support/tally.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { VirtualTime } from '../../../test/support/virtual-time.js';

async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 240_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error('waited in vain');
    await pause(2);
  }
}

describe('following a shared log', () => {
  let folder: ReturnType<typeof tempFolder>;
  let log: EventLog;
  let heard: string[];
  let reached: Position[];
  let failures: unknown[];
  let follower: LogFollower | undefined;

  beforeEach(async () => {
    folder = tempFolder();
    log = await EmbeddedLog.open({ file: join(folder.path, 'events.db') });
    [heard, reached, failures] = [[], [], []];
  });
  afterEach(async () => {
    await follower?.close();
    await log.close();
    folder.remove();
  });

  const listener = {
    event: ({ stream, revision }: { stream: string; revision: number }) => void heard.push(`${stream}@${revision}`),
    reached: (position: Position) => void reached.push(position),
    found: () => undefined,
    failed: (error: unknown) => void failures.push(error),
  };
  const write = async (stream: string): Promise<Position> => {
    const [result] = await log.append([{ stream, expected: NO_STREAM, events: [added(stream, 0)] }]);
    if (result?.kind !== 'written') throw new Error('not written');
    return result.position;
  };

  it('begins at the head, and delivers every later event before it reports its position', async () => {
    const before = await write('tally-old');
    follower = await LogFollower.start(log, listener, thisMachine.time);
    expect(reached).toEqual([before]);
    const last = [await write('tally-a'), await write('tally-b')].at(-1);
    await until(() => reached.at(-1) === last);
    expect(heard).toEqual(['tally-a@0', 'tally-b@0']);
  });

  it('continues where it was after the log could not be followed for a while', async () => {
    let broken = 2;
    const shaky: EventLog = Object.create(log, {
      subscribe: {
        value: (after: Position, max: number, signal: AbortSignal) => {
          if (broken-- > 0) throw new Error('the server is away');
          return log.subscribe(after, max, signal);
        },
      },
      head: { value: () => log.head() },
    }) as EventLog;
    follower = await LogFollower.start(shaky, listener, thisMachine.time);
    await write('tally-a');
    await until(() => heard.length > 0);
    expect([heard, failures.length]).toEqual([['tally-a@0'], 2]);
  });

  it('ends immediately, even while it waits for the next try', async () => {
    const away = Object.create(log, {
      subscribe: {
        value: () => {
          throw new Error('away');
        },
      },
      head: { value: () => log.head() },
    }) as EventLog;
    // Its pause would never end by itself.
    follower = await LogFollower.start(away, listener, new VirtualTime());
    await until(() => failures.length > 0);
    await follower.close();
    expect(failures).toHaveLength(1);
  });
});
