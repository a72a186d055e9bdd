import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreDbLog } from '#adapters/eventstoredb';
import { AppendOutcomeUnknown, NO_STREAM } from '#eventsourcing';
import { ClusterDouble } from '../../../test/support/eventstoredb/cluster.js';
import { numbered } from '../../../test/support/numbered.js';

const WRITERS = 6;
/** Milliseconds: without a leader, an append would wait for so long. */
const DEADLINE = 120_000;
/** A fault takes more than this, and a slow machine less. */
const BACK_WITHIN = 60_000;

describe('a log on a cluster', () => {
  let cluster: ClusterDouble;
  let log: EventStoreDbLog;
  let other: EventStoreDbLog;
  let writing: boolean;
  let acknowledged: { readonly at: number; readonly stream: string; readonly position: bigint }[];
  let behind: number;

  beforeEach(async () => {
    cluster = await ClusterDouble.start({ election: [200, 600], frozenElection: [300, 500] });
    const url = `${cluster.url}&defaultDeadline=${DEADLINE}`;
    log = await EventStoreDbLog.open({ url, prefix: 'shop_' });
    other = await EventStoreDbLog.open({ url, prefix: 'shop_' });
    [writing, acknowledged, behind] = [true, [], 0];
  });
  afterEach(async () => {
    writing = false;
    await other.close();
    await log.close();
    cluster.close();
  });

  /** Appends until it gets an answer, then reads it immediately through another connection. */
  async function write(stream: string): Promise<void> {
    for (let revision = NO_STREAM; writing; revision += 1) {
      const append = numbered(stream, revision, revision + 1);
      for (let answered = false; !answered;) {
        try {
          const [result] = await log.append([append]);
          if (result?.kind !== 'written') throw new Error(`${stream}@${revision}: ${JSON.stringify(result)}`);
          acknowledged.push({ at: performance.now(), stream, position: result.position });
          answered = true;
        } catch (error) {
          if (!(error instanceof AppendOutcomeUnknown)) throw error;
          await pause(50 + 100 * Math.random());
        }
      }
      const read = await other.readStream(stream, revision + 1, 1).catch(() => undefined);
      if (read?.length === 0) behind += 1;
      await pause(2);
    }
  }

  /** Milliseconds from the next leader's election to the next answer. */
  async function backAfter(happened: () => Promise<unknown>): Promise<number> {
    await happened();
    while ((await cluster.control.leader()) === undefined) await pause(1);
    const elected = performance.now();
    while ((acknowledged.at(-1)?.at ?? 0) < elected) await pause(5);
    return performance.now() - elected;
  }

  it('continues at each new leader without waiting for deadlines, loses nothing, and reads nothing old', async () => {
    const following = (async () => {
      const seen: { stream: string; position: bigint }[] = [];
      for await (const { events } of other.subscribe(0n, 100, new AbortController().signal)) {
        seen.push(...events);
        if (seen.at(-1)?.stream === 'deal-last') return seen;
      }
      return seen;
    })();
    const writers = Array.from({ length: WRITERS }, (_, index) => write(`deal-${index}`));
    const took: Record<string, number> = {};
    for (let round = 0; round < 2; round += 1) {
      await pause(300);
      took[`resign ${round}`] = await backAfter(() => cluster.control.resign());
      took[`none ${round}`] = await backAfter(() => cluster.control.noLeader(1_600));
      const leader = (await cluster.control.leader()) ?? 0;
      took[`kill ${round}`] = await backAfter(() => cluster.control.kill(leader));
      await cluster.control.revive(leader);
      await pause(100);
    }
    writing = false;
    await Promise.all(writers);
    await log.append([numbered('deal-last', NO_STREAM, 1)]);
    acknowledged.push({ at: 0, stream: 'deal-last', position: await log.head() });
    const seen = await following;
    expect(new Set(seen.map(({ position }) => position))).toEqual(
      new Set(acknowledged.map(({ position }) => position)),
    );
    expect(seen).toHaveLength(acknowledged.length);
    expect(behind).toBe(0);
    expect(Object.entries(took).filter(([, milliseconds]) => milliseconds > BACK_WITHIN)).toEqual([]);
  });

  it('continues at the new leader without waiting for deadlines if the old one is frozen', async () => {
    const writers = Array.from({ length: WRITERS }, (_, index) => write(`deal-${index}`));
    while (acknowledged.length < 50) await pause(5);
    const frozen = (await cluster.control.leader()) ?? 0;
    const began = performance.now();
    await cluster.control.freeze(frozen);
    while ((acknowledged.at(-1)?.at ?? 0) < began + 500) await pause(5);
    expect(performance.now() - began).toBeLessThan(BACK_WITHIN);
    await cluster.control.thaw(frozen);
    writing = false;
    await Promise.all(writers);
    expect(behind).toBe(0);
  });
});
