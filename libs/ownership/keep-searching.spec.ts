import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SearchedLog } from '#eventsourcing';
import type { Position } from '#kernel';
import { KeyValuesInMemory } from '../../test/support/key-values-in-memory.js';
import { VirtualTime } from '../../test/support/virtual-time.js';
import { keepSearching } from './keep-searching.js';
import { keepSearched, readSearched } from './known-record.js';

const MEBIBYTE = 1024n * 1024n;

/** A log whose end and last search a test sets. */
class SearchedByOthers {
  readonly identity = 'the log';
  asked = 0;
  end = 0n;
  searched: SearchedLog | undefined;

  /** Somebody asks for its head. */
  async head(): Promise<Position> {
    this.asked += 1;
    this.searched = { head: 7n, id: 'ours', end: this.end, endId: `at ${this.end}` };
    return 7n;
  }
}

describe('how far the log of a server was searched', () => {
  let log: SearchedByOthers;
  let keyValues: KeyValuesInMemory;
  let time: VirtualTime;
  let guard: { refused: boolean };
  let isNoted: boolean;

  const kept = async (): Promise<Position | undefined> => (await readSearched(keyValues, log.identity))?.end;
  /** Lets so many seconds pass; the process asks for the head in each second. */
  const pass = async (seconds: number, written = 0n): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      log.end += written;
      await log.head();
      await time.pass(1_000);
    }
  };
  const begin = (): (() => Promise<void>) => {
    const end = new AbortController();
    const ended = keepSearching(log, keyValues, guard, { settle: () => Promise.resolve(isNoted) }, end.signal, time);
    return () => {
      end.abort();
      return ended;
    };
  };

  beforeEach(() => {
    isNoted = true;
    [log, keyValues, time, guard] = [
      new SearchedByOthers(),
      new KeyValuesInMemory(),
      new VirtualTime(),
      { refused: false },
    ];
  });

  it('is kept within a second of 8 MiB of others’ events', async () => {
    const end = begin();
    for (let seconds = 0; seconds < 20; seconds += 1) {
      await pass(1, 3n * MEBIBYTE);
      expect(log.end - ((await kept()) ?? 0n)).toBeLessThanOrEqual(11n * MEBIBYTE);
    }
    await end();
  });

  it('is kept soon after a start that has searched much, so that the next one does not search it again', async () => {
    await keepSearched(keyValues, log.identity, { head: 7n, id: 'ours', end: MEBIBYTE, endId: 'before' });
    log.end = 1_000n * MEBIBYTE;
    const end = begin();
    await pass(2);
    expect(await kept()).toBe(log.end);
    await end();
  });

  it('is kept every 30 s and at the end, if others write little; the key store is left alone between', async () => {
    const end = begin();
    await pass(29, 100n);
    expect(await kept()).toBe(undefined);
    await pass(2, 100n);
    const first = (await kept()) ?? 0n;
    expect(first).toBeGreaterThan(0n);
    await pass(20, 100n);
    expect(await kept()).toBe(first);
    log.end += 1n;
    await end();
    expect(await kept()).toBe(log.end);
  });

  it('is not kept before what was found there is noted: the next start searches it again', async () => {
    isNoted = false;
    const end = begin();
    await pass(40, 10n * MEBIBYTE);
    expect(await kept()).toBe(undefined);
    isNoted = true;
    await pass(2);
    expect(await kept()).toBe(log.end);
    await end();
  });

  it('is not written beside keys that may not be the log’s', async () => {
    guard.refused = true;
    const end = begin();
    await pass(40, 10n * MEBIBYTE);
    await end();
    expect(keyValues.texts.size).toBe(0);
  });
});
