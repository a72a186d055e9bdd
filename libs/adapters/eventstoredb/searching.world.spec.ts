import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreDbLog, EventStoreDbLogReader } from '#adapters/eventstoredb';
import { NO_STREAM, type RecordPlace, type SearchedLog } from '#eventsourcing';
import type { Position } from '#kernel';
import { numbered } from '../../../test/support/numbered.js';
import { EventStoreDbDouble } from '../../../test/support/eventstoredb/server.js';

/** What an installation keeps between two starts. */
interface Kept {
  readonly identity: string;
  readonly place: RecordPlace | undefined;
  readonly searched: SearchedLog | undefined;
}

/** The number of our events, and of others' that came later. */
const [OURS, OTHERS] = [100, 100_000];

/** The most messages that are under way when a subscription is left: those of 64 KiB. */
const UNDER_WAY = 400;

describe('a start on a server that others use', () => {
  let double: EventStoreDbDouble;
  const prefix = 'shop_';
  beforeEach(async () => {
    double = await EventStoreDbDouble.start({ searching: 100 });
  });
  afterEach(() => double.close());

  const keep = ({ identity, place, searched }: EventStoreDbLog): Kept => ({ identity, place, searched });
  const firstStart = async (): Promise<Kept> => {
    const log = await EventStoreDbLog.open({ url: double.url, prefix });
    await log.append([numbered('deal-1', NO_STREAM, ...Array.from({ length: OURS }, (_, index) => index))]);
    await log.head();
    await log.close();
    return keep(log);
  };
  /**
   * Opens the log, finds its end, and follows it from a view's checkpoint.
   * @returns the events that the server looked at, the messages that it sent, and what the follower got of ours and of others
   */
  const start = async (
    kept: Kept,
    after: Position,
  ): Promise<{ examined: number; messages: number; ours: number; eventsOfOthers: number; kept: Kept }> => {
    const [before, sent] = [double.store.examined, double.reads.sent];
    const log = await EventStoreDbLog.open({ url: double.url, prefix, ...kept });
    await log.head();
    const followed = await EventStoreDbLogReader.open({ url: double.url, prefix, ...keep(log) });
    const stop = new AbortController();
    let ours = 0;
    for await (const { events, caughtUp } of followed.subscribe(after, 1_000, stop.signal)) {
      ours += events.length;
      if (caughtUp) stop.abort();
    }
    await followed.close();
    await log.close();
    const [examined, messages] = [double.store.examined - before, double.reads.sent - sent];
    return { examined, messages, ours, eventsOfOthers: followed.eventsOfOthers, kept: keep(log) };
  };

  it.each<[string, (kept: Kept) => Position, number]>([
    ['at our last event', ({ searched }) => searched?.head ?? 0n, 0],
    ['at none', () => 0n, OURS],
  ])('searches others’ events once: later starts, with a view %s, read as few as without any', async (_, at, ours) => {
    const first = await firstStart();
    const alone = await start(first, at(first));
    await double.control.appendForeign(OTHERS);
    const once = await start(alone.kept, at(first));
    expect(once.examined).toBeGreaterThan(OTHERS);
    const again = await start(once.kept, at(first));
    expect([alone.ours, again.ours]).toEqual([ours, ours]);
    expect(again.eventsOfOthers).toBe(0);
    // While a subscription is left at our last event, the server may look, and send, a little further.
    expect(again.messages - alone.messages).toBeLessThanOrEqual(ours === 0 ? 0 : UNDER_WAY);
    expect(again.examined - alone.examined).toBeLessThan(5_000);
  });

  it('searches again from our last event if the event where the last search ended is gone', async () => {
    const first = await firstStart();
    const { searched } = first;
    if (searched === undefined) throw new Error('nothing was searched');
    const gone = { ...first, searched: { ...searched, end: searched.end + 7n, endId: 'gone' } };
    await double.control.appendForeign(100);
    const { ours, kept } = await start(gone, searched.head);
    expect([ours, kept.searched?.head]).toEqual([0, searched.head]);
  });

  it('finds what we have written since, and believes no search of another log', async () => {
    const first = await firstStart();
    const log = await EventStoreDbLog.open({ url: double.url, prefix });
    const [written] = await log.append([numbered('deal-1', OURS - 1, OURS)]);
    await log.close();
    const later = await start(first, first.searched?.head ?? 0n);
    expect([later.ours, later.kept.searched?.head]).toEqual([1, (written as { position: bigint }).position]);
    const other = { head: 17n, id: 'other', end: 99n, endId: 'other' };
    expect((await start({ ...first, searched: other }, 0n)).ours).toBe(OURS + 1);
  });
});
