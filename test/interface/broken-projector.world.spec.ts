import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeOnEmbedded } from '../support/on-embedded.js';
import { RunningService, type Answer, type TestPartner } from '../support/running-service.js';

describeOnEmbedded('a service whose projector breaks again and again, because it cannot write a view', () => {
  let service: RunningService;
  let acme: TestPartner;
  let reader: TestPartner;
  let ann: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    reader = await service.newPartner('reader');
    await service.newDeal('lunch');
    ann = await service.newUser(acme.key, 'ann@example.org');
  });
  afterAll(() => service.discard());

  /** Runs SQL on the view of saved deals. */
  const onTheView = (sql: string): void => {
    const folder = join(service.dataDir, 'views');
    const file = readdirSync(folder).find((name) => /^saved-deals\.v\d+\.g\d+\.db$/.test(name)) ?? '';
    const database = new DatabaseSync(join(folder, file), { timeout: 60_000 });
    database.exec(sql);
    database.close();
  };
  /** Lets every write of that view fail, as on a full disk, while the view can still be opened. */
  const refuseRows = (): void =>
    onTheView("CREATE TRIGGER full BEFORE UPDATE ON meta BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
  /** The errors that the projections show, without repeats. */
  const errors = async (): Promise<readonly unknown[]> => {
    const { projections } = await service.operate('GET', '/projections');
    return [...new Set((projections as readonly { readonly last_error: unknown }[]).map((each) => each.last_error))];
  };
  const breaks = (): number => service.printed.split('the projector has failed').length - 1;

  it('A8: still shows what the views had seen before, even what an operator wrote last', async () => {
    const place = { name: 'Elsewhere', time_zone: 'America/New_York', latitude: 40, longitude: -70, radius: 20 };
    // From now on everybody's reads wait for this.
    await service.operate('PUT', '/regions/elsewhere', place);
    const read = (): Promise<Answer> => service.ask('GET', '/deals/lunch', { key: reader.key });
    const before = await read();
    expect(before.status).toBe(200);
    refuseRows();
    const body = { deal_id: 'lunch', user_id: ann };
    expect((await service.ask('POST', '/saved_deals', { key: acme.key, body })).status).toBe(200);
    // The second time it has started again, and said how far its views are.
    while (breaks() < 2) await pause(100);
    const { status, text } = await read();
    expect([status, text]).toEqual([200, before.text]);
  });
  it('G6: each projection names the failure until the views go on', async () => {
    for (let looks = 0; looks < 20; looks += 1) {
      expect(await errors()).toEqual(['the projector broke, and starts again: the disk is full']);
      await pause(100);
    }
    expect((await service.health()).body.views[0].error).toContain('the disk is full');
    onTheView('DROP TRIGGER full');
    while ((await service.health()).status !== 200) await pause(100);
    expect(await errors()).toEqual([null]);
  });
});
