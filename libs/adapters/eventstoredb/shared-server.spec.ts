import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreDbLog, EventStoreDbLogReader } from '#adapters/eventstoredb';
import { NO_STREAM, Unavailable } from '#eventsourcing';
import type { Recorded } from '#kernel';
import { EventStoreDbDouble } from '../../../test/support/eventstoredb/server.js';
import { numbered } from '../../../test/support/numbered.js';
import type { EventStoreDbOptions } from './options.js';
import { ServerConnection } from './client.js';
import type { FoundInStream } from './stream-watch.js';

const categories = ['deal', 'inventory'];

/** Reads everything in the log up to its present end, and then what follows. */
class Follower {
  readonly seen: Recorded[] = [];
  readonly ended: Promise<unknown>;
  caughtUp = false;
  readonly #stop = new AbortController();

  constructor(log: Pick<EventStoreDbLog, 'subscribe'>, after = 0n) {
    this.ended = this.#follow(log, after).catch((error: unknown) => error);
  }

  async until(done: () => boolean): Promise<void> {
    while (!done()) await pause(5);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }

  async #follow(log: Pick<EventStoreDbLog, 'subscribe'>, after: bigint): Promise<void> {
    for await (const { events, caughtUp } of log.subscribe(after, 1_000, this.#stop.signal)) {
      this.seen.push(...events);
      this.caughtUp = caughtUp;
    }
  }
}

describe('a server that other applications use, too', () => {
  let double: EventStoreDbDouble;
  let closing: { close(): Promise<unknown> }[];
  let found: FoundInStream[];
  let broken: number;

  const options = (prefix: string): EventStoreDbOptions => ({
    url: double.url,
    prefix,
    categories,
    onBroken: () => (broken += 1),
    onFound: (each) => {
      found.push(each);
      return false;
    },
  });
  async function open(prefix: string): Promise<EventStoreDbLog> {
    const log = await EventStoreDbLog.open(options(prefix));
    closing.push(log);
    return log;
  }
  function follow(log: EventStoreDbLog, after?: bigint): Follower {
    const follower = new Follower(log, after);
    closing.unshift({ close: () => follower.stop() });
    return follower;
  }

  beforeEach(async () => {
    double = await EventStoreDbDouble.start();
    [closing, found, broken] = [[], [], 0];
  });
  afterEach(async () => {
    for (const each of closing) await each.close();
    double.close();
  });

  describe.each(['', 'holdfast_'])('under the prefix %j', (prefix) => {
    it('is followed among 9,000 events of another application, and while that writes 150 a second', async () => {
      const log = await open(prefix);
      await log.append([numbered('deal-1', NO_STREAM, 1)]);
      for (let written = 0; written < 9_000; written += 1_000) {
        const events = Array.from({ length: 1_000 }, () => ({ type: 'Measured', bytes: '\u0000 21.5' }));
        await double.control.append('sensor-3', events);
      }
      await double.control.set({ foreign: 150 });
      const reader = await EventStoreDbLogReader.open(options(prefix));
      closing.push(reader);
      const head = await reader.head();
      const follower = follow(log);
      await follower.until(() => follower.caughtUp);
      expect(follower.seen.at(-1)?.position).toBe(head);
      for (let n = 1; n < 10; n += 1) {
        const [result] = await log.append([numbered('deal-1', n - 1, n)]);
        await follower.until(() => follower.seen.length > n);
        expect(result).toMatchObject({ position: await reader.head() });
        await pause(20);
      }
      expect([found, reader.eventsOfOthers, log.eventsOfOthers]).toEqual([[], 0, 0]);
    });

    it.each([
      ['is deleted', (name: string) => double.control.softDelete(name)],
      ['gets $maxCount', (name: string) => double.control.setMetadata(name, { $maxCount: 1 })],
      ['gets $maxAge', (name: string) => double.control.setMetadata(name, { $maxAge: 3_600 })],
      ['gets $tb', (name: string) => double.control.setMetadata(name, { $tb: 1 })],
      ['is deleted for ever', (name: string) => double.control.tombstone(name)],
    ])('reports a stream of ours that %s, to present and later followers', async (_, cut) => {
      const log = await open(prefix);
      await log.append([numbered('deal-1', NO_STREAM, 1, 2)]);
      const follower = follow(log);
      await follower.until(() => follower.seen.length === 2);
      await cut(`${prefix}deal-1`);
      await follower.until(() => found.length > 0);
      const [first] = found;
      expect(first).toMatchObject({ stream: 'deal-1', words: expect.stringContaining('Somebody has') });
      const later = follow(log, await log.head().catch(() => 0n));
      await later.until(() => later.caughtUp);
      expect(new Set(found.map((each) => JSON.stringify(each))).size).toBe(1);
    });

    it.each([
      ['deleted', (name: string) => double.control.softDelete(name)],
      ['cut', (name: string) => double.control.setMetadata(name, { $maxCount: 1 })],
      ['deleted for ever', (name: string) => double.control.tombstone(name)],
      ['written into', (name: string) => double.control.append(name, [{ type: 'Measured', data: {} }])],
    ])('reports a stream that was %s while no process ran, when it searches on from where it ended', async (_, cut) => {
      const first = await open(prefix);
      await first.append([numbered('deal-1', NO_STREAM, 1), numbered('deal-2', NO_STREAM, 2)]);
      await first.head();
      const { searched } = first;
      await cut(`${prefix}deal-1`);
      const second = await EventStoreDbLog.open({ ...options(prefix), searched });
      closing.push(second);
      const head = await second.head();
      expect(second.searched?.end).toBeGreaterThan(head);
      expect(found).toMatchObject([{ stream: 'deal-1' }]);
    });

    it.each([
      ['deleted', (name: string) => double.control.softDelete(name)],
      ['deleted for ever', (name: string) => double.control.tombstone(name)],
    ])('does not take a stream that was %s for one that never existed', async (_, cut) => {
      const log = await open(prefix);
      await log.append([numbered('deal-1', NO_STREAM, 1, 2)]);
      await cut(`${prefix}deal-1`);
      await expect(log.readStream('deal-1', 0, 10)).rejects.toThrow(Unavailable);
      expect(found).toMatchObject([{ stream: 'deal-1' }]);
      expect(await log.readStream('deal-2', 0, 10)).toEqual([]);
    });

    it('finds another application’s event in a stream of ours, and delivers none', async () => {
      const log = await open(prefix);
      await log.append([numbered('deal-1', NO_STREAM, 1)]);
      const follower = follow(log);
      await follower.until(() => follower.seen.length === 1);
      await double.control.append(`${prefix}deal-1`, [{ type: 'happened.v1', data: null }]);
      await follower.until(() => found.length === 1);
      await expect(log.readStream('deal-1', 0, 10)).rejects.toThrow(Unavailable);
      await log.append([numbered('deal-2', NO_STREAM, 1)]);
      await follower.until(() => follower.seen.length === 2);
      expect(follower.seen.map(({ stream }) => stream)).toEqual(['deal-1', 'deal-2']);
      expect(log.eventsOfOthers).toBe(1);
    });

    it('ends a follower whose log is an older one by now, after it learned of the break', async () => {
      const log = await open(prefix);
      await log.append([numbered('deal-1', NO_STREAM, 1)]);
      const end = await double.control.end();
      await log.append([numbered('deal-1', 0, 2)]);
      const follower = follow(log);
      await follower.until(() => follower.seen.length === 2);
      await double.control.restore(end);
      expect(String(await follower.ended)).toMatch(/no event begins at the position|another event is at/);
      expect(broken).toBeGreaterThan(0);
    });

    it('lets a follower continue when the server is back with the same log', async () => {
      const log = await open(prefix);
      await log.append([numbered('deal-1', NO_STREAM, 1)]);
      const follower = follow(log);
      await follower.until(() => follower.seen.length === 1);
      await double.control.stop();
      await pause(300);
      await double.control.start();
      await log.append([numbered('deal-1', 0, 2)]);
      await follower.until(() => follower.seen.length === 2);
      expect([broken > 0, found]).toEqual([true, []]);
    });

    it('has no log if the stream of its record is another application’s', async () => {
      await double.control.append(`${prefix}holdfast`, [{ type: 'theirs' }]);
      await expect(open(prefix)).rejects.toThrow('has no identity of an event log');
    });

    it('keeps its log, whatever somebody sets on the stream of its record', async () => {
      const { identity } = await open(prefix);
      await double.control.setMetadata(`${prefix}holdfast`, { $maxCount: 1 });
      expect((await open(prefix)).identity).toBe(identity);
    });

    it('is opened also if another process has begun its log while this one searched for one', async () => {
      let identity: string | undefined;
      const server = new ServerConnection(double.url);
      const readBack = server.readBack.bind(server);
      // A search begins with this read.
      server.readBack = async (...read) => {
        if (identity === undefined) {
          const log = await open(prefix);
          identity = log.identity;
          await log.append([numbered('deal-1', NO_STREAM, 1)]);
        }
        return readBack(...read);
      };
      const reader = await EventStoreDbLogReader.on(server, options(prefix));
      closing.push(reader);
      expect(reader.identity).toBe(identity);
    });

    it('gets no second log while events of the first one are there, whatever became of its record', async () => {
      const log = await open(prefix);
      const { identity } = log;
      const known = { identity, place: (await log.record())?.place };
      await log.append([numbered('deal-1', NO_STREAM, 1)]);
      await double.control.softDelete(`${prefix}holdfast`);
      await expect(open(prefix)).rejects.toThrow('has events of an event log, but no record of it');
      const again = await EventStoreDbLog.open({ ...options(prefix), ...known, renews: true });
      closing.push(again);
      expect(await again.record()).toMatchObject({ identity, missing: true });
      // Of two processes one writes it again, under the next name.
      await Promise.all([0, 1].map(async () => again.repeatRecord({ identity, owner: undefined })));
      expect(await again.record()).toMatchObject({ identity, place: { number: 2, began: known.place?.began } });
      expect((await open(prefix)).identity).toBe(identity);
      expect((await double.control.events(`${prefix}holdfast-2`)).map(({ revision }) => revision)).toEqual([0]);
    });

    // A simulated world: the stream of such a place had notes that a node did not know, and one more made it unreadable.
    it('names no place of the lease again that had a note, when its record is written anew by who knows an older one', async () => {
      const log = await open(prefix);
      const known = { identity: log.identity, place: (await log.record())?.place };
      for (const place of ['', '-2', '-3'])
        await double.control.append(`$$${prefix}holdfast_lease${place}`, [
          { type: '$metadata', data: { marked: '0' } },
        ]);
      await double.control.softDelete(`${prefix}holdfast`);
      const again = await EventStoreDbLog.open({ ...options(prefix), ...known, renews: true });
      closing.push(again);
      await again.repeatRecord({ identity: log.identity, owner: undefined });
      const [event] = await double.control.events(`${prefix}holdfast-2`);
      expect(JSON.parse(String(event?.data))).toMatchObject({ lease: 3 });
    });

    it('has a new log only when nothing shows an earlier one, and searches everybody’s events once for that', async () => {
      await double.control.appendForeign(30_000);
      expect(await EventStoreDbLogReader.exists(options(prefix))).toBe(false);
      await open(prefix);
      expect(await EventStoreDbLogReader.exists(options(prefix))).toBe(true);
    });

    it.each([
      ['of an earlier format', { format: 3 }, 'it has the format 3'],
      ['without a format', {}, 'it names no format'],
    ])('G9: of another build (%s) is refused by name, and nothing is written to it', async (_, format, words) => {
      const type = 'log-recorded';
      await double.control.append(`${prefix}holdfast`, [{ type, data: { identity: 'theirs', ...format } }]);
      const end = await double.control.end();
      await expect(open(prefix)).rejects.toThrow(
        `the event log at EVENTSTORE_URL was written by another build of Holdfast: ${words}`,
      );
      expect(await double.control.end()).toEqual(end);
    });

    it('G9: of a build that had its record in metadata is refused by name, and nothing is written to it', async () => {
      await double.control.setMetadata(`${prefix}holdfast`, { identity: 'theirs', format: 'open-1' });
      const end = await double.control.end();
      await expect(open(prefix)).rejects.toThrow('it has the format open-1');
      expect(await double.control.end()).toEqual(end);
    });
  });

  it.each([
    ['', 'b_'],
    ['shop_', 'shop_2_'],
  ])('has two logs with the prefixes %j and %j that do not see each other', async (one, other) => {
    const [ours, theirs] = [await open(one), await open(other)];
    const [our, their] = [follow(ours), follow(theirs)];
    for (let n = 0; n < 20; n += 1) {
      await ours.append([numbered('deal-1', n - 1, n)]);
      await theirs.append([numbered('deal-1', 2 * n - 1, n, n), numbered(`inventory-${n}`, NO_STREAM, n)]);
    }
    await our.until(() => our.seen.length === 20);
    await their.until(() => their.seen.length === 60);
    expect(our.seen.at(-1)?.position).toBe(await ours.head());
    expect(their.seen.at(-1)?.position).toBe(await theirs.head());
    expect(await ours.readStream('inventory-1', 0, 1)).toEqual([]);
    expect(found).toEqual([]);
  });

  it.each(['', 'holdfast_'])(
    'G9: ignores streams of others with names like ours, and counts their events: prefix %j',
    async (prefix) => {
      const log = await open(prefix);
      const follower = follow(log);
      const shapes = [
        { type: 'a', data: null },
        { type: 'b', bytes: '\u0000' },
        { type: 'c', data: 7, metadata: 'text' },
      ];
      await double.control.append(`${prefix}deal-theirs`, shapes);
      await log.append([numbered(`deal-${randomUUID()}`, NO_STREAM, 1)]);
      await follower.until(() => follower.seen.length === 1);
      expect([log.eventsOfOthers, found]).toEqual([3, []]);
      expect([await log.isOthers('deal-theirs'), await log.readStream('deal-theirs', 0, 10)]).toEqual([true, []]);
      expect(await log.append([numbered('deal-theirs', NO_STREAM, 1)])).toEqual([{ kind: 'conflict', actual: 2 }]);
      await double.control.softDelete(`${prefix}deal-theirs`);
      await log.append([numbered(`deal-${randomUUID()}`, NO_STREAM, 1)]);
      await follower.until(() => follower.seen.length === 2);
      expect(found).toEqual([]);
    },
  );

  it('may hold a newer build’s events: followers stop and name the type', async () => {
    const log = await open('shop_');
    const follower = follow(log);
    const metadata = { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'system:test' };
    await double.control.append('shop_voucher-1', [{ type: 'voucher-issued.v1', data: {}, metadata }]);
    expect(String(await follower.ended)).toContain('voucher-1@0 is of a category that this build does not know');
  });
});
