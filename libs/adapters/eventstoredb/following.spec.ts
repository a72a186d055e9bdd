import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreDbLog, EventStoreDbLogReader } from '#adapters/eventstoredb';
import { AppendOutcomeUnknown, type Append, type EventLog, type EventLogReader, NO_STREAM } from '#eventsourcing';
import type { Recorded } from '#kernel';
import { numbered } from '../../../test/support/numbered.js';
import { RunningDouble } from '../../../test/support/running-double.js';
import type { DoubleOptions } from '../../../test/support/eventstoredb/options.js';
import { EventStoreDbDouble } from '../../../test/support/eventstoredb/server.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { follow as followServer } from './following.js';
import type { Server, ServerEvent, Subscriber } from './server.js';

/** Appends until the log has answered, as the command loop does. */
async function appendUntilKnown(log: EventLog, append: Append): Promise<void> {
  for (;;) {
    try {
      const [result] = await log.append([append]);
      // Thousands of times: `expect` would take most of the time.
      if (result?.kind !== 'written') throw new Error(`an append was ${result?.kind}`);
      return;
    } catch (error) {
      if (!(error instanceof AppendOutcomeUnknown)) throw error;
      await pause(20);
    }
  }
}

/** Runs this many writers, each with its own stream. */
async function load(log: EventLog, writers: number, rounds: number): Promise<void> {
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let round = 0; round < rounds; round += 1) {
        await appendUntilKnown(log, numbered(`deal-${writer}`, 2 * round - 1, 2 * round, 2 * round + 1));
      }
    }),
  );
}

async function follow(log: EventLogReader, count: number, max = 50, slow = 0): Promise<Recorded[]> {
  const events: Recorded[] = [];
  for await (const batch of log.subscribe(0n, max, new AbortController().signal)) {
    events.push(...batch.events);
    expect(batch.events.length).toBeLessThanOrEqual(max);
    if (events.length >= count) break;
    if (slow > 0) await pause(slow);
  }
  return events;
}

/** Expects every event of the writers once, in the order of the log. */
function expectEachOnce(events: readonly Recorded[], writers: number, rounds: number): void {
  expect(events).toHaveLength(writers * rounds * 2);
  const isInOrder = events.every(({ position }, index) => position > (events[index - 1]?.position ?? -1n));
  expect(isInOrder).toBe(true);
  for (let writer = 0; writer < writers; writer += 1) {
    const own = events.filter(({ stream }) => stream === `deal-${writer}`);
    expect(own.map(({ revision }) => revision)).toEqual(Array.from({ length: 2 * rounds }, (_, revision) => revision));
  }
}

describe('a follower', () => {
  let double: EventStoreDbDouble;
  let log: EventStoreDbLog;
  let reader: EventStoreDbLogReader;

  async function start(options: DoubleOptions = {}): Promise<void> {
    double = await EventStoreDbDouble.start(options);
    log = await EventStoreDbLog.open({ url: double.url });
    reader = await EventStoreDbLogReader.open({ url: double.url });
  }
  /** Waits until the server has so many open reads. */
  async function untilOpen(reads: number): Promise<void> {
    while (double.reads.open.size !== reads) await pause(5);
  }
  afterEach(async () => {
    await reader.close();
    await log.close();
    double.close();
  });

  it('sees every event once and in order while its subscription is dropped again and again', async () => {
    await start({ dropEvery: 100, latency: 5 });
    const following = follow(reader, 8 * 200 * 2);
    await load(log, 8, 200);
    expectEachOnce(await following, 8, 200);
  });

  it('sees every event once and in order when it is slower than the log', async () => {
    await start();
    const following = follow(reader, 16 * 300 * 2, 200, 15);
    await load(log, 16, 300);
    expectEachOnce(await following, 16, 300);
  });

  // A read that this client abandons stays open at the server until it is cancelled.
  it('leaves no open call behind when it stops', async () => {
    await start();
    await load(log, 4, 50);
    for (const max of [1, 10, 1_000]) {
      for await (const batch of reader.subscribe(0n, max, new AbortController().signal)) {
        if (batch.events.length > 0) break;
      }
    }
    const stop = new AbortController();
    const waiting = reader.subscribe(await reader.head(), 10, stop.signal)[Symbol.asyncIterator]();
    await waiting.next();
    const next = waiting.next();
    await untilOpen(1);
    stop.abort();
    expect((await next).done).toBe(true);
    await untilOpen(0);
  });

  it('ends when its reader is closed, and leaves nothing open', async () => {
    await start();
    const following = (async () => {
      for await (const batch of reader.subscribe(0n, 10, new AbortController().signal)) expect(batch).toBeDefined();
    })();
    await untilOpen(1);
    await reader.close();
    await following;
    await untilOpen(0);
  });

  it('reports a position that is not from this log', async () => {
    await start();
    await load(log, 1, 2);
    const batches = reader.subscribe((await reader.head()) - 1n, 10, new AbortController().signal);
    await expect(batches[Symbol.asyncIterator]().next()).rejects.toThrow('no event begins at the position');
  });
});

describe('a server that is killed and comes back', () => {
  let folder: ReturnType<typeof tempFolder>;
  let file: string;
  let double: RunningDouble;
  beforeEach(async () => {
    folder = tempFolder();
    file = join(folder.path, 'events');
    double = await RunningDouble.start(`--file=${file}`);
  });
  afterEach(async () => {
    await double.kill();
    folder.remove();
  });

  it('has lost no acknowledged append, has nothing twice, and followers continue', async () => {
    const log = await EventStoreDbLog.open({ url: double.url });
    const [writers, rounds] = [40, 60];
    const following = follow(log, writers * rounds * 2);
    const loading = load(log, writers, rounds);
    for (let kill = 0; kill < 3; kill += 1) {
      await pause(250);
      await double.kill();
      double = await RunningDouble.start(`--file=${file}`, `--port=${new URL(double.url).port}`);
    }
    await loading;
    expectEachOnce(await following, writers, rounds);
    await log.close();
  });

  // The projector is such a thread: a failure of one thread's client must not reach the other.
  it('is still followed by another thread of the process', async () => {
    const log = await EventStoreDbLog.open({ url: double.url });
    const thread = new Worker(resolve('dist/test/support/follower.thread.js'), {
      workerData: { url: double.url },
    });
    const [writers, rounds] = [10, 60];
    const seen: Recorded[] = [];
    const all = new Promise<void>((enough) =>
      thread.on('message', (event: Recorded) => seen.push(event) === writers * rounds * 2 && enough()),
    );
    const loading = load(log, writers, rounds);
    await pause(100);
    await double.kill();
    double = await RunningDouble.start(`--file=${file}`, `--port=${new URL(double.url).port}`, '--dropEvery=100');
    await loading;
    await all;
    expectEachOnce(seen, writers, rounds);
    const exit = once(thread, 'exit');
    thread.postMessage('stop');
    expect(await exit).toEqual([0]);
    await log.close();
  });

  // Messages that the client holds back would reject where nobody can catch it, and end the process.
  it('may die while it accepts nothing: every append in the queue has an unknown outcome', async () => {
    const log = await EventStoreDbLog.open({ url: double.url });
    double.child.kill('SIGSTOP');
    const filling = 'x'.repeat(300_000);
    const outcomes = Array.from({ length: 60 }, (_, index) => {
      const append = numbered(`large-${index}`, NO_STREAM, 1);
      return log.append([{ ...append, events: append.events.map((event) => ({ ...event, data: { filling } })) }]);
    });
    const settled = Promise.allSettled(outcomes);
    await pause(200);
    await double.kill();
    for (const outcome of await settled) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'AppendOutcomeUnknown' } });
    }
    double = await RunningDouble.start(`--file=${file}`, `--port=${new URL(double.url).port}`);
    await appendUntilKnown(log, numbered('deal-1', NO_STREAM, 1));
    await log.close();
  });
});

describe('several logs on one server', () => {
  let double: EventStoreDbDouble;
  beforeEach(async () => {
    double = await EventStoreDbDouble.start();
  });
  afterEach(() => double.close());

  it('do not see each other', async () => {
    const [one, other] = await Promise.all(
      ['one_', 'other_'].map((prefix) => EventStoreDbLog.open({ url: double.url, prefix })),
    );
    if (one === undefined || other === undefined) throw new Error('two logs were opened');
    expect(one.identity).not.toBe(other.identity);
    const following = follow(one, 1);
    await load(other, 2, 40);
    expect(await one.head()).toBe(0n);
    expect(await one.readStream('deal-0', 0, 10)).toEqual([]);
    expect(await one.eventAt(await other.head())).toBeUndefined();
    await one.append([numbered('deal-0', NO_STREAM, 1)]);
    expect(await following).toMatchObject([{ stream: 'deal-0', revision: 0 }]);
    await load(other, 1, 0);
    expect((await follow(one, 1))[0]?.position).toBe(await one.head());
    await one.close();
    await other.close();
  });

  it('find their heads before many events of others', async () => {
    const log = await EventStoreDbLog.open({ url: double.url, prefix: 'one_' });
    const other = await EventStoreDbLog.open({ url: double.url, prefix: 'other_' });
    const [written] = await log.append([numbered('deal-0', NO_STREAM, 1)]);
    for (let from = 0; from < 5_000; from += 100) {
      await other.append([numbered('deal-0', from - 1, ...Array.from({ length: 100 }, (_, index) => index))]);
    }
    expect(written).toMatchObject({ position: await log.head() });
    await log.close();
    await other.close();
  });

  it('have one identity each, whichever process opens them first', async () => {
    const readers = await Promise.all(
      Array.from({ length: 6 }, () => EventStoreDbLogReader.open({ url: double.url, prefix: 'shop_' })),
    );
    expect(new Set(readers.map(({ identity }) => identity)).size).toBe(1);
    expect(await readers[0]?.head()).toBe(0n);
    await Promise.all(readers.map((reader) => reader.close()));
  });

  it.each(['with-dash', '$system', 'nul\0'])('refuse the prefix %j', async (prefix) => {
    await expect(EventStoreDbLog.open({ url: double.url, prefix })).rejects.toThrow(TypeError);
  });

  it('report with a message that the server does not answer', async () => {
    const options = { url: 'esdb://127.0.0.1:1?tls=false', openWithin: 3_000 };
    const words = 'EventStoreDB at 127.0.0.1:1 (EVENTSTORE_URL) cannot be opened: nothing listens there (ECONNREFUSED)';
    await expect(EventStoreDbLog.open(options)).rejects.toThrow(words);
  });

  it('wait for a server that is not up yet', async () => {
    const port = Number(new URL(double.url).port);
    double.close();
    const opening = EventStoreDbLog.open({ url: double.url });
    await pause(400);
    double = await EventStoreDbDouble.start({ port });
    await (await opening).close();
  });
});

describe('a subscription that was dropped as too slow', () => {
  /** A follower of a server that says only what a test lets it say. */
  function followed(max = 10) {
    const time = new VirtualTime();
    const begun: { readonly after: bigint; readonly to: Subscriber; isPaused: boolean }[] = [];
    const checks: bigint[] = [];
    const stop = new AbortController();
    const server: Pick<Server, 'subscribe'> = {
      subscribe(after, _, to) {
        const one = { after, to, isPaused: false };
        begun.push(one);
        return {
          leave: () => undefined,
          pause: () => void (one.isPaused = true),
          resume: () => void (one.isPaused = false),
        };
      },
    };
    const batches = followServer(
      server,
      {
        names: ['deal-'],
        pick: (events) => Promise.resolve(events as unknown as readonly Recorded[]),
        stands: (position) => Promise.resolve(void checks.push(position)),
        broken: () => undefined,
        refused: () => undefined,
        time,
      },
      7n,
      max,
      stop.signal,
    );
    const say = (...positions: bigint[]): void => {
      for (const position of positions) begun.at(-1)?.to.event({ position, id: `e${position}` } as ServerEvent);
    };
    const drop = (): void => begun.at(-1)?.to.dropped('too slow', new Error('too slow'));
    const next = async (): Promise<readonly bigint[]> =>
      ((await batches.next()).value?.events ?? []).map(({ position }) => position);
    return { time, begun, checks, stop, say, drop, next };
  }

  it('goes on at once and unchecked after events that it brought, and loses none (E12)', async () => {
    const { time, begun, checks, stop, say, drop, next } = followed();
    const first = next();
    await time.pass(0);
    begun[0]?.to.caughtUp();
    expect(await first).toEqual([]);
    const second = next();
    say(8n, 9n);
    drop();
    expect(begun.map(({ after }) => after)).toEqual([7n, 9n]);
    say(10n);
    begun[1]?.to.caughtUp();
    expect(await second).toEqual([8n, 9n, 10n]);
    expect(checks).toEqual([7n]);
    stop.abort();
  });

  it('begins again after a pause and a check if it had brought nothing', async () => {
    const { time, begun, checks, stop, drop, next } = followed();
    void next();
    await time.pass(0);
    drop();
    await time.pass(40);
    expect(begun).toHaveLength(1);
    await time.pass(20);
    expect(begun.map(({ after }) => after)).toEqual([7n, 7n]);
    expect(checks).toEqual([7n, 7n]);
    stop.abort();
  });

  it('goes on without a pause, but checked, when a reader who is behind has taken what waits', async () => {
    const { time, begun, checks, stop, say, drop, next } = followed(4_000);
    const first = next();
    await time.pass(0);
    begun[0]?.to.caughtUp();
    await first;
    say(...Array.from({ length: 4_000 }, (_, index) => BigInt(8 + index)));
    expect(begun[0]?.isPaused).toBe(true);
    drop();
    expect(begun).toHaveLength(1);
    expect(await next()).toHaveLength(4_000);
    void next();
    await time.pass(0);
    expect(begun.map(({ after }) => after)).toEqual([7n, 4_007n]);
    expect(checks).toEqual([7n, 4_007n]);
    stop.abort();
  });
});
