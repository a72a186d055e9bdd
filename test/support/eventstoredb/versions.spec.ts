import { setTimeout as pause } from 'node:timers/promises';
import { type AllStreamSubscription, NO_STREAM } from '@eventstore/db-client';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Version } from './options.js';
import { onlyOnTheDouble, ServerUnderTest } from './server-under-test.js';

/** Where the versions differ for somebody who follows all streams. */
onlyOnTheDouble('a subscription to all', () => {
  describe.each<Version>(['23.10', '24.10', '26.1'])('of %s', (version) => {
    let server: ServerUnderTest;
    beforeEach(async () => {
      server = new ServerUnderTest();
      await server.start(version);
    });
    afterEach(() => server.stop());

    const until = async (holds: () => boolean): Promise<void> => {
      while (!holds()) await pause(5);
    };
    const live = async (
      fromPosition?: bigint,
    ): Promise<{ ids: string[]; caughtUp: () => number; leave: () => Promise<void> }> => {
      const place = fromPosition && { commit: fromPosition, prepare: fromPosition };
      const subscription: AllStreamSubscription = server.client.subscribeToAll({
        ...(place && { fromPosition: place }),
      });
      let times = 0;
      const ids: string[] = [];
      subscription
        .on('data', ({ event }) => ids.push(String(event?.id)))
        .on('caughtUp', () => (times += 1))
        .on('error', () => undefined);
      await until(() => times > 0);
      return { ids, caughtUp: () => times, leave: () => subscription.unsubscribe() };
    };

    it(`${version === '23.10' ? 'delivers' : 'does not deliver'} events below a position beyond the end`, async () => {
      const { commit } = await server.written();
      const { ids, leave } = await live(commit + 1_000_000n);
      await server.written();
      if (version === '23.10') await until(() => ids.length === 1);
      else await pause(50);
      expect(ids).toHaveLength(version === '23.10' ? 1 : 0);
      await leave();
    });

    it(`says ${version === '26.1' ? 'again' : 'once'} that it has caught up, however large a burst is`, async () => {
      const { ids, caughtUp, leave } = await live();
      await server.append(
        server.newStream(),
        NO_STREAM,
        Array.from({ length: 199 }, () => undefined),
      );
      await until(() => ids.length >= 199);
      expect(caughtUp()).toBe(1);
      if (version === '26.1') {
        await server.append(
          server.newStream(),
          NO_STREAM,
          Array.from({ length: 900 }, () => undefined),
        );
        await until(() => caughtUp() === 2);
      }
      await leave();
    });

    it('has another word for a position inside an event', async () => {
      const { commit } = await server.written();
      await server.written();
      const inside = { commit: commit + 1n, prepare: commit + 1n };
      const words = version === '26.1' ? 'InvalidPosition' : 'Unexpected ReadAllResult: Error';
      await expect(server.readAll({ fromPosition: inside, maxCount: 1 })).rejects.toThrow(words);
    });
  });
});
