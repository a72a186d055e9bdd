import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { describeAlone } from '../support/alone.js';
import { notedIn } from '../support/data-folder.js';
import { openShop, reserve, ServicesOnServer } from '../support/own-server.js';

/** So many events of others are more bytes than a start may leave unkept. */
const OTHERS = 120_000;
/** Far less than the time after which a quiet service keeps how far it has searched, in milliseconds. */
const SOON = 15_000;

describeAlone('G11: a service on a server on which others write much', () => {
  const on = ServicesOnServer.forEachTest();

  /** Waits until the installation has kept that the log was searched to its present end, or nearly so. */
  const untilKept = async (): Promise<void> => {
    const end = await on.server.control.end();
    const until = performance.now() + SOON;
    while (end - Number(notedIn(on.dataDir, 'log searched')?.end ?? 0) > 1_000) {
      if (performance.now() > until) throw new Error('nothing was kept');
      await pause(200);
    }
  };
  it('does not search them again after a kill: neither what came while it ran, nor what its start has searched', async () => {
    await on.server.control.set({ searching: 100 });
    let service = await on.ready();
    /** Starts it again after a `kill -9`. @returns how many events the server has looked at for that start */
    const startAfterKill = async (between: () => Promise<void> = async () => undefined): Promise<number> => {
      await service.kill();
      await between();
      const before = await on.server.control.examined();
      service = await on.ready();
      return (await on.server.control.examined()) - before;
    };
    const partner = await openShop(service);
    expect(await reserve(service, partner)).toBe(200);
    await on.server.control.appendForeign(OTHERS);
    await untilKept();
    expect(await startAfterKill()).toBeLessThan(OTHERS / 4);

    const searching = await startAfterKill(() => on.server.control.appendForeign(OTHERS));
    expect(searching).toBeGreaterThan(OTHERS);
    await untilKept();
    expect(await startAfterKill()).toBeLessThan(OTHERS / 4);
  });
});
