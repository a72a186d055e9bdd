import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeOnEmbedded } from '../support/on-embedded.js';
import { RunningService, type Answer, type TestPartner } from '../support/running-service.js';
import { SmallDisk } from '../support/small-disk.js';

const probe = SmallDisk.mount(1);
probe?.unmount();
const withDisk = probe === undefined ? it.skip : it;

describeOnEmbedded('a service whose disk is full', () => {
  let disk: SmallDisk | undefined;
  let service: RunningService;
  let acme: TestPartner;
  let reader: TestPartner;

  beforeAll(async () => {
    disk = SmallDisk.mount(64);
    if (disk === undefined) return;
    service = await RunningService.start({ dataDir: disk.path });
    acme = await service.newPartner('acme');
    reader = await service.newPartner('reader');
    await service.newDeal('lunch', { stock: null });
    await service.newDeal('tea', { stock: null });
    // Since this start no operator has written, which would make everybody's reads wait for views.
    await service.stop();
    service = await RunningService.start({ dataDir: disk.path });
  });
  afterAll(async () => {
    if (disk === undefined) return;
    await service.stop();
    disk.unmount();
  });

  const reserves = (repeatKey?: string): Promise<Answer> =>
    service.ask('POST', '/purchases/reserve', {
      key: acme.key,
      body: { deal_id: 'lunch', num_bought: 1 },
      ...(repeatKey === undefined ? {} : { headers: { 'idempotency-key': repeatKey } }),
    });
  const sold = async (): Promise<number> => (await service.look('/deals/lunch', acme.key)).body.deal.number_sold;
  /** Reads a deal without holds. Units and holds are shown as of one position, and one of their two views may lack room. */
  const read = async (): Promise<number> => (await service.ask('GET', '/deals/tea', { key: reader.key })).status;
  const health = async (which: string): Promise<number> => (await service.ask('GET', `/health/${which}`)).status;

  withDisk('A8 G11: answers 503 with the reason, and goes on by itself once there is room', async () => {
    expect(await sold()).toBe(0);
    // From now on the service knows the reader's key.
    expect(await read()).toBe(200);
    disk?.fill();
    const refused: Answer[] = [];
    let taken = 0;
    // The service still writes what fits into existing pages.
    while (refused.length < 3) {
      const answer = await reserves(`k${refused.length + taken}`);
      if (answer.status === 200) taken += 1;
      else refused.push(answer);
    }
    for (const { status, body } of refused) expect([status, body.error_type]).toEqual([503, 'unavailable']);
    for (;;) {
      // A projector that fails gives some room back, and the log goes on until that is full, too.
      await reserves();
      const { status, body } = await service.health();
      if (status === 503 && /there is no room/.test(body.log.error ?? '')) break;
    }
    expect(await health('live')).toBe(200);
    // A caller who has written waits for views, and they may lack room, too.
    expect(await read()).toBe(200);

    disk?.empty();
    while ((await reserves()).status !== 200) await pause(50);
    while ((await health('ready')) !== 200) await pause(50);
    expect((await reserves('k-after')).status).toBe(200);
    await service.kill();
    service = await RunningService.start({ dataDir: disk?.path ?? '' });
    expect((await service.look('/deals/lunch', acme.key)).status).toBe(200);
  });
});
