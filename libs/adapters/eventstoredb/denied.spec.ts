import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { EventStoreDbLog } from '#adapters/eventstoredb';
import { AppendRefused, NO_STREAM } from '#eventsourcing';
import { EventStoreDbDouble } from '../../../test/support/eventstoredb/server.js';
import { numbered } from '../../../test/support/numbered.js';
import { errorMessageOf } from './server.js';

describe('a server that denies its user something', () => {
  let double: EventStoreDbDouble;
  let log: EventStoreDbLog;
  let warnings: string[];
  const untilTold = async (words: RegExp): Promise<void> => {
    while (!warnings.some((each) => words.test(each))) await pause(20);
  };

  beforeEach(async () => {
    warnings = [];
    double = await EventStoreDbDouble.start({ step: 100 });
    log = await EventStoreDbLog.open({
      url: double.url,
      onError: (error) => void warnings.push(errorMessageOf(error)),
    });
    await log.append([numbered('deal-1', NO_STREAM, 1)]);
  });
  afterEach(async () => {
    await log.close();
    double.close();
  });

  it.each(['reads', 'subscriptions'] as const)(
    'is reported while the log is followed, and then followed: %s',
    async (denies) => {
      const after = await log.head();
      await double.control.set({ denies });
      const stop = new AbortController();
      const seen: number[] = [];
      const following = (async () => {
        for await (const { events } of log.subscribe(after, 10, stop.signal))
          seen.push(...events.map((e) => e.revision));
      })();
      await untilTold(/PERMISSION_DENIED/);
      expect(warnings.length).toBeLessThan(3);
      await log.append([numbered('deal-1', 0, 2)]);
      double.options = { step: 100 };
      while (seen.length === 0) await pause(20);
      expect(seen).toEqual([1]);
      stop.abort();
      await following;
    },
  );

  it('is reported with the missing right to callers that ask for the head, or read a stream', async () => {
    await double.control.set({ denies: '$all' });
    const words = 'the event log cannot be read: its server does not allow its user to read';
    await expect(log.head()).rejects.toThrow(`${words} $all`);
    expect(warnings).toEqual([expect.stringMatching(/^7 the user may not read \$all: 7 PERMISSION_DENIED/)]);
    expect(await log.readStream('deal-1', 0, 1)).toHaveLength(1);
    await expect(EventStoreDbLog.open({ url: double.url, prefix: 'new_', openWithin: 0 })).rejects.toThrow(
      'cannot be opened: it does not allow its user to read $all: give the user of EVENTSTORE_URL that right',
    );
    await double.control.set({ denies: 'reads' });
    await expect(log.readStream('deal-1', 0, 1)).rejects.toThrow(`${words} the stream deal-1`);
  });

  it('reaches the caller if appends are denied', async () => {
    await double.control.set({ denies: 'appends' });
    await expect(log.append([numbered('deal-1', 0, 2)])).rejects.toThrow(AppendRefused);
  });
});
