import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeCard } from '../support/cards.js';
import { shareEngines } from '../support/cluster.js';
import { untilState } from '../support/rebuilding.js';
import { RunningSandbox } from '../support/running-sandbox.js';
import { discardLeftovers, type Json, RunningService } from '../support/running-service.js';
import { SharedServers } from '../support/shared-servers.js';
import { viewsDone } from '../support/work-done.js';

const servers = await SharedServers.start();
/** After so many tries a piece of work has a pause of some seconds. */
const SOME_TRIES = 4;

(servers === undefined ? describe.skip : describe)('G6.1, G6.2: open work and comparisons on three servers', () => {
  let gateway: RunningSandbox;
  let service: RunningService;
  let key: string;

  const openOf = async (list: string): Promise<Json[]> => (await service.operate('GET', `/work/${list}`)).work;

  beforeAll(async () => {
    if (servers === undefined) return;
    shareEngines(servers);
    gateway = await RunningSandbox.start();
    service = await RunningService.start({ env: { SANDBOX_GATEWAY_URL: gateway.url, GATEWAY_TIMEOUT: '1000' } });
    ({ key } = await service.newPartner('acme'));
    await service.newDeal('spa');
  });
  afterAll(async () => {
    if (servers === undefined) return;
    await discardLeftovers();
    await gateway.stop();
    await servers.stop();
  });

  it('an API shows the tries of the workers, and a retry that it takes reaches them', async () => {
    const user_id = await service.newUser(key, 'ann@example.org');
    const credit_card_id = await storeCard(service, key, user_id);
    const body = { deal_id: 'spa', quantity: 1, user_id, credit_card_id, expected_price_per_unit: 1000 };
    const { id } = (await service.ask('POST', '/purchases', { key, body })).body.purchase;
    await gateway.kill();
    await service.operate('POST', `/purchases/${id}/refund`, { reason: 'the spa has closed' });
    await service.forward(60);
    let open: Json;
    do [open] = await openOf('open-refunds');
    while ((open?.tries ?? 0) < SOME_TRIES);
    expect(open).toMatchObject({ state: 'due', last_error: expect.any(String), next_try_at: expect.any(String) });
    gateway = await RunningSandbox.start({ dataDir: gateway.dataDir, env: { PORT: new URL(gateway.url).port } });
    await service.operate('POST', `/work/open-refunds/${open.key}/retry`);
    while ((await openOf('open-refunds')).length > 0);
    expect(gateway.ledger.filter(({ kind }) => kind === 'refund')).toMatchObject([{ charge: id, outcome: 'refunded' }]);
  });

  it('what is abandoned at one API is gone at each', async () => {
    const held = await service.ask('POST', '/purchases/reserve?deal_id=spa&num_bought=1', { key });
    const { id } = held.body.purchase;
    await service.operate('POST', `/work/hold-expiry/${id}/abandon`, { reason: 'a test' });
    for (const at of service.urls) {
      const answer = await service.ask('GET', '/operators/work/hold-expiry', { token: service.operatorToken, at });
      expect(answer.body.work).toEqual([]);
    }
  });

  it('a rebuilt view has the rows of the live one', async () => {
    const { generation } = await service.operate('POST', '/projections/purchases/rebuild');
    await untilState(service, 'purchases', generation, 'ready');
    await viewsDone(service);
    const found = await service.operate('POST', `/projections/purchases/generations/${generation}/compare`);
    expect(found).toMatchObject({ generation, rows: 2, added: 0, removed: 0, changed: 0 });
  });
});
