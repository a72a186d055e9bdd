import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { casesInFull, describeAlone, isInFull } from '../support/alone.js';
import { clockApart } from '../support/clock-apart.js';
import { RunningDouble } from '../support/running-double.js';
import { discardLeftovers, newDataDir, RunningService, type Answer } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';

const APART = 20_000;
/** Within this time of a right clock, in milliseconds, sales go on. Beside other specs, a machine is slower by a multiple. */
const SOON = isInFull ? 5_000 : 30_000;

describeAlone('D2: on a server whose clock differs from this machine’s', () => {
  const folder = tempFolder();
  const file = join(folder.path, 'clock');
  let dataDir: string;
  let double: RunningDouble;
  let service: RunningService | undefined;
  let key: string;

  /** This machine’s clock is ahead by so much. */
  const set = (ahead: number): void => {
    writeFileSync(file, String(ahead));
  };
  const start = (unready = false): Promise<RunningService> =>
    RunningService.start({
      dataDir,
      env: { EVENTSTORE_URL: double.url, ...clockApart(file) },
      ownProcess: true,
      unready,
    });
  const reserve = (): Promise<Answer> =>
    (service as RunningService).ask('POST', '/purchases/reserve', { key, body: { deal_id: 'spa', num_bought: 1 } });
  /** Milliseconds until something is sold. */
  const untilSold = async (): Promise<number> => {
    const began = performance.now();
    while ((await reserve().catch(() => undefined))?.status !== 200) await pause(50);
    return performance.now() - began;
  };

  beforeEach(async () => {
    set(0);
    dataDir = newDataDir();
    double = await RunningDouble.start('--port=0');
  });
  afterEach(async () => {
    await service?.kill();
    service = undefined;
    await double.kill();
    await discardLeftovers();
  });
  const sell = async (): Promise<void> => {
    service = await start();
    ({ key } = await service.newPartner('acme'));
    await service.newDeal('spa', { stock: 1_000 });
    expect((await reserve()).status).toBe(200);
  };

  it.each(casesInFull(APART, -APART))(
    'a first start refuses by name while it is off by %i ms, writes nothing, and is ready soon after it is right',
    async (by) => {
      set(by);
      const before = await double.control.events();
      service = await start(true);
      expect((await service.health()).status).toBe(503);
      const reserved = await service.ask('POST', '/purchases/reserve', { key: 'none', body: {} });
      expect(reserved.status).toBe(503);
      const where = by > 0 ? 'ahead of' : 'behind';
      await service.prints('Holdfast refuses the event log');
      expect(service.printed).toMatch(
        new RegExp(`This machine’s clock is (19|20) s ${where} that of the event log’s server \\(127.0.0.1:`),
      );
      expect(await double.control.events()).toEqual(before);
      set(0);
      const right = performance.now();
      while ((await service.health().catch(() => undefined))?.status !== 200) await pause(50);
      expect(performance.now() - right).toBeLessThan(2 * SOON);
      expect(service.processes.apis[0]?.running).toBe(true);
      await service.newDeal('spa', { stock: 1 });
      ({ key } = await service.newPartner('acme'));
      expect((await reserve()).status).toBe(200);
    },
  );

  it.each(casesInFull(-APART, APART))(
    'a later start refuses by name while it is off by %i ms, and sells soon after it is right',
    async (by) => {
      await sell();
      await service?.stop();
      set(by);
      const before = await double.control.events();
      service = await start(true);
      const { status, body } = await service.health();
      expect([status, body.log.state]).toEqual([503, 'refused']);
      expect(body.findings).toEqual([
        expect.objectContaining({
          message: expect.stringMatching(/^This machine’s clock is (19|20) s (ahead of|behind) that of/),
        }),
      ]);
      expect((await reserve()).status).toBe(503);
      expect(await double.control.events()).toEqual(before);
      set(0);
      expect(await untilSold()).toBeLessThan(2 * SOON);
    },
  );

  it.each(casesInFull(APART, -APART))(
    'a running service sells on if a leader’s is off by %i ms, and names it',
    async (by) => {
      await sell();
      await double.control.set({ clock: by });
      await double.control.stop();
      await double.control.start();
      expect(await untilSold()).toBeLessThan(SOON);
      await service?.processes.apis[0]?.prints('the clock of the event log’s server (127.0.0.1:');
      for (let times = 0; times < 20; times += 1) expect((await reserve()).status).toBe(200);
      expect((await (service as RunningService).health()).status).toBe(200);
    },
  );

  it('a running service refuses by name after its own has leapt, and sells soon after it is right', async () => {
    await sell();
    set(86_400_000);
    while ((await reserve()).status === 200) await pause(20);
    const { status, body } = await (service as RunningService).health();
    expect([status, body.log.state, body.findings[0]?.message]).toEqual([
      503,
      'refused',
      expect.stringMatching(/^This machine’s clock is 86400 s ahead of .* It has leapt/),
    ]);
    set(0);
    expect(await untilSold()).toBeLessThan(SOON);
  });
});
