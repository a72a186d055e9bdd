import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDbLogReader } from '#adapters/eventstoredb';
import { EventStoreDbDouble } from '../../support/eventstoredb/server.js';
import { Line } from '../../support/eventstoredb/line.js';
import { patience, size, tell } from '../size.js';
import { Api } from './api.js';
import { watchAppends } from './append-watch.js';
import { KINDS } from './sales.js';
import { tellStory, type Lane, type StoryResult } from './story.js';

const STORIES = size('LINES', 8);
const LANES = STORIES > 100 ? 4 : 2;
/** The command loop's patience, in milliseconds: 5000 outside tests. */
const PATIENCE = 1_500;

describe('two APIs sell the same deals, and the line of one to the log breaks', () => {
  let double: EventStoreDbDouble;
  const lanes: Lane[] = [];
  const closings: (() => Promise<void> | void)[] = [];

  beforeAll(async () => {
    double = await EventStoreDbDouble.start();
    const port = Number(new URL(double.url.replace('esdb:', 'http:')).port);
    const arrived = watchAppends(double);
    for (let index = 0; index < LANES; index += 1) {
      const prefix = `lane${index}_`;
      const line = await Line.to({ host: '127.0.0.1', port });
      const [a, b, reader] = await Promise.all([
        Api.start({ name: 'A', url: line.url, prefix, patience: PATIENCE }),
        Api.start({ name: 'B', url: double.url, prefix, patience: PATIENCE }),
        EventStoreDbLogReader.open({ url: double.url, prefix }),
      ]);
      closings.push(
        () => a.kill(),
        () => b.kill(),
        () => reader.close(),
        () => line.cut(),
      );
      lanes.push({
        a,
        b,
        line,
        read: (stream) => reader.readStream(stream, 0, 1_000),
        arrived: (stream) => arrived(prefix + stream),
      });
    }
  });
  afterAll(async () => {
    for (const close of closings) await close();
    double.close();
  });

  it.each([
    ['cut, and loses what was on it', 'cut'],
    ['stalled, and delivers late', 'let go'],
  ] as const)(
    'D1 D2 A11: its line is %s; nothing is oversold, nothing acknowledged is missing, no deadline moves',
    async (_, how) => {
      const all: StoryResult[] = [];
      let next = 0;
      await Promise.all(
        lanes.map(async (lane) => {
          while (next < STORIES) all.push(await tellStory(lane, `${how.replace(' ', '-')}-${next++}`, how));
        }),
      );
      const sum = (of: 'oversold' | 'missing' | 'moved'): number => all.reduce((total, each) => total + each[of], 0);
      const faults = { oversold: sum('oversold'), missing: sum('missing'), moved: sum('moved') };
      const [firstOnly, late] = [all.filter((each) => each.firstOnly).length, all.filter((each) => each.late).length];
      const sold = all.flatMap((each) => each.sold);
      const kinds = KINDS.map((kind) => `${sold.filter((each) => each === kind).length} ${kind}`).join(', ');
      const summary = `${all.length} stories (${how}): B wrote the first of A's batch alone in ${firstOnly}, A's append came after B's in ${late}`;
      tell('LINES', `${summary}; sales: ${kinds}; faults: ${JSON.stringify(faults)}`);
      expect(faults).toEqual({ oversold: 0, missing: 0, moved: 0 });
      // The stories really happened as planned.
      expect(how === 'cut' ? firstOnly : late).toBeGreaterThanOrEqual(STORIES / 4);
    },
    patience(STORIES, 10_000),
  );
});
