import { expect, it } from '@jest/globals';
import { describeAlone } from '../support/alone.js';
import { healthOnce, left, openShop, reserve, ServicesOnServer } from '../support/own-server.js';
import { newDataDir } from '../support/running-service.js';

/** What a new deal must have. */
const DEAL = {
  title: 'A deal',
  start_at: '2030-01-01T00:00:00Z',
  end_at: '2030-02-01T00:00:00Z',
  current_price: 1_000,
  value: 2_000,
};

describeAlone('other programs beside a log', () => {
  const on = ServicesOnServer.forEachTest();
  const theirs = [{ type: 'theirs', data: { of: 'another program' } }, { type: 'theirs' }];

  it('G9: a stream that another program has begun hinders nobody; what would need its name is refused by name', async () => {
    const service = await on.ready();
    const partner = await openShop(service);
    for (const stream of ['deal-app', 'inventory-cave', 'region-mars']) {
      await on.server.control.append(`holdfast_${stream}`, theirs);
    }
    expect(await reserve(service, partner)).toBe(200);
    while ((await service.health()).body.log.events_of_others < 6)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await service.health()).body).toMatchObject({ status: 'success', findings: [] });
    await service.prints('another program has begun the stream holdfast_inventory-cave (theirs)');

    for (const [id, stream] of [
      ['app', 'deal-app'],
      ['cave', 'inventory-cave'],
    ]) {
      const body = { ...DEAL, region_id: 'testland' };
      const end = await on.server.control.end();
      const answer = await service.ask('PUT', `/operators/deals/${id}`, { token: service.operatorToken, body });
      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(`uses the name ${stream} `)]);
      expect(await on.server.control.end()).toBe(end);
    }
    const region = await service.ask('PUT', '/operators/regions/mars', {
      token: service.operatorToken,
      body: { name: 'Mars', time_zone: 'America/New_York' },
    });
    expect([region.status, region.text]).toEqual([422, expect.stringContaining('uses the name region-mars ')]);
    const path = '/purchases/reserve?deal_id=cave&num_bought=1';
    expect((await service.ask('POST', path, { key: partner.key })).status).toBe(404);

    await service.stop();
    const again = await on.ready();
    expect((await again.health()).body).toMatchObject({ status: 'success', findings: [] });
    expect([await reserve(again, partner), await left(again, partner)]).toEqual([200, 8]);
  });

  it('G9: a user that may not read $all is told with the right that it lacks, until it has it', async () => {
    const service = await on.ready();
    await on.server.control.set({ denies: '$all' });
    const words = 'its server does not allow its user to read $all';
    const { log } = await healthOnce(service, (health) => health.log.state === 'failed');
    expect(log.error).toBe(`the event log cannot be read: ${words}`);
    // It then allows everything.
    await on.server.restart();
    await healthOnce(service, (health) => health.status === 'success');
  });

  it('a second installation with a folder of its own is told that it needs a prefix of its own', async () => {
    await on.ready();
    await expect(on.start({}, newDataDir())).rejects.toThrow(
      /has an event log with the prefix "holdfast_" \(a new installation beside it needs another EVENTSTORE_PREFIX\)/,
    );
  });
});
