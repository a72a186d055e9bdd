import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DAY, MINUTE, SECOND } from '#kernel';
import { storeCard } from '../support/cards.js';
import { describeOnEmbedded } from '../support/on-embedded.js';
import { RunningSandbox } from '../support/running-sandbox.js';
import { type Answer, discardLeftovers, newDataDir, RunningService, type Json } from '../support/running-service.js';
import { viewsDone, workDone } from '../support/work-done.js';

const MOVE = (5 * MINUTE + SECOND) / SECOND;

describeOnEmbedded('G6.2: open work', () => {
  const dataDir = newDataDir();
  let gateway: RunningSandbox;
  let service: RunningService;
  let key: string;
  let user_id: string;
  let credit_card_id: string;

  const start = async (): Promise<void> => {
    service = await RunningService.start({
      dataDir,
      env: { SANDBOX_GATEWAY_URL: gateway.url, GATEWAY_TIMEOUT: '1000' },
    });
  };
  const stopGateway = (): Promise<void> => gateway.kill();
  const startGateway = async (): Promise<void> => {
    gateway = await RunningSandbox.start({ dataDir: gateway.dataDir, env: { PORT: new URL(gateway.url).port } });
  };
  const ask = (method: string, path: string, body?: object, token = service.operatorToken): Promise<Answer> =>
    service.ask(method, `/operators/work${path}`, { token, ...(body && { body }) });
  // The operator has not seen what a partner has written: so the views have to come so far first.
  const listOf = async (name: string): Promise<Json> => {
    await viewsDone(service);
    return (await ask('GET', '?per_page=1000')).body.lists.find(({ list }: Json) => list === name);
  };
  const openOf = async (list: string): Promise<Json[]> => {
    await viewsDone(service);
    return (await ask('GET', `/${list}`)).body.work;
  };
  const buy = async (): Promise<Json> => {
    const body = { deal_id: 'spa', quantity: 1, user_id, credit_card_id, expected_price_per_unit: 1000 };
    return (await service.ask('POST', '/purchases', { key, body })).body.purchase;
  };
  const eventsOf = async (stream: string): Promise<Json[]> => {
    const path = `/auditors/streams/${encodeURIComponent(stream)}`;
    return (await service.ask('GET', path, { token: service.auditorToken })).body.events;
  };

  beforeAll(async () => {
    gateway = await RunningSandbox.start();
    await start();
    ({ key } = await service.newPartner('acme'));
    user_id = await service.newUser(key, 'ann@example.org');
    credit_card_id = await storeCard(service, key, user_id);
    await service.newDeal('spa');
  });
  afterAll(async () => {
    await service.stop();
    await gateway.stop();
    await discardLeftovers();
  });

  it('is listed for operators and auditors: a list for each kind, with nothing open', async () => {
    for (const token of [service.operatorToken, service.auditorToken]) {
      const { status, body } = await ask('GET', '?per_page=1000', undefined, token);
      expect(status).toBe(200);
      expect(body.lists.map(({ list }: Json) => list)).toEqual(
        expect.arrayContaining(['hold-expiry', 'open-checkouts', 'open-refunds', 'followers', 'subscription-mails']),
      );
      for (const each of body.lists)
        expect(each).toEqual({
          list: expect.any(String),
          does: expect.stringMatching(/^[A-Z].*\.$/),
          ...{ waiting: 0, due: 0, stuck: 0, age: null },
        });
    }
    expect((await ask('GET', '/nothing')).status).toBe(404);
    expect((await ask('POST', '/nothing/x/retry')).status).toBe(404);
    expect((await ask('POST', '/open-refunds/x/retry')).status).toBe(404);
    expect((await ask('POST', '/open-refunds/x/abandon', { reason: 'no' }, service.auditorToken)).status).toBe(403);
  });

  it('shows an open checkout with its age, is never abandoned, and is voided instead', async () => {
    await stopGateway();
    const { id } = await buy();
    expect(await listOf('open-checkouts')).toMatchObject({ waiting: 1, due: 0, stuck: 0, age: expect.any(Number) });
    const retried = await ask('POST', `/open-checkouts/${id}/retry`);
    expect([retried.status, retried.text]).toEqual([422, expect.stringContaining('is not due before')]);
    await service.forward(60);
    const [open] = await openOf('open-checkouts');
    expect(open).toMatchObject({
      ...{ list: 'open-checkouts', key: id, state: 'due' },
      about: [
        { name: 'purchase_id', id },
        { name: 'deal_id', id: 'spa' },
      ],
      instead_of_abandoning: `void the purchase: \`holdfast purchases void ${id} --reason …\``,
    });
    expect(open.age).toBeGreaterThanOrEqual(60);
    const refused = await ask('POST', `/open-checkouts/${id}/abandon`, { reason: 'it takes too long' });
    expect([refused.status, refused.body.error_msg]).toEqual([
      422,
      `work of open-checkouts is never abandoned: void the purchase: \`holdfast purchases void ${id} --reason …\``,
    ]);
    await startGateway();
    await service.operate('POST', `/purchases/${id}/void`, { reason: 'the gateway lost it' });
    await workDone(service);
    expect(await listOf('open-checkouts')).toMatchObject({ waiting: 0, due: 0, age: null });
  });

  it('becomes stuck after ten tries: all surfaces count it, and a retry frees it at once', async () => {
    const { id } = await buy();
    await stopGateway();
    await service.operate('POST', `/purchases/${id}/refund`, { reason: 'the spa has closed' });
    let open: Json;
    do {
      await service.forward(MOVE);
      [open] = await openOf('open-refunds');
    } while (open.state !== 'stuck');
    const coupon = open.key;
    expect(open).toMatchObject({
      ...{ list: 'open-refunds', does: expect.stringContaining('give money back'), tries: expect.any(Number) },
      last_error: expect.any(String),
      next_try_at: expect.stringMatching(/^\d{4}-/),
      instead_of_abandoning: expect.stringContaining('the buyer is owed the money'),
      todo: expect.stringContaining('then try it again'),
    });
    expect(open.tries).toBeGreaterThanOrEqual(10);
    expect(await listOf('open-refunds')).toMatchObject({ due: 1, stuck: 1 });
    expect((await service.health()).body.stuck).toBe(1);
    expect((await ask('POST', `/open-refunds/${coupon}/abandon`, { reason: 'enough' })).status).toBe(422);

    await startGateway();
    const { body } = await ask('POST', `/open-refunds/${coupon}/retry`);
    expect(body).toEqual({ status: 'success', list: 'open-refunds', key: coupon });
    while ((await openOf('open-refunds')).length > 0);
    expect(gateway.ledger.filter(({ kind }) => kind === 'refund')).toMatchObject([{ charge: id, outcome: 'refunded' }]);
    const [{ type, actor }] = await eventsOf(`work-open-refunds.${coupon}`);
    expect([type, actor]).toEqual(['work-retried.v1', 'operator:operator']);
  });

  it('is abandoned for good with a reason, which the log keeps: after a restart and a rebuild, too', async () => {
    const held = await service.ask('POST', '/purchases/reserve?deal_id=spa&num_bought=1', { key });
    const { id } = held.body.purchase;
    expect(await openOf('hold-expiry')).toMatchObject([{ key: id, state: 'waiting', instead_of_abandoning: null }]);
    for (const body of [{}, { reason: '' }, { reason: ' \n' }, { reason: 'x'.repeat(1_001) }])
      expect((await ask('POST', `/hold-expiry/${id}/abandon`, body)).status).toBe(422);
    const reason = 'the projector cannot take it';
    expect((await ask('POST', `/hold-expiry/${id}/abandon`, { reason })).status).toBe(200);
    expect(await openOf('hold-expiry')).toEqual([]);
    expect((await ask('POST', `/hold-expiry/${id}/abandon`, { reason })).status).toBe(200);
    expect((await ask('POST', `/hold-expiry/${id}/retry`)).status).toBe(404);
    expect(await eventsOf(`work-hold-expiry.${id}`)).toMatchObject([
      { type: 'work-abandoned.v1', actor: 'operator:operator', data: { list: 'hold-expiry', key: id, reason } },
    ]);
    await service.stop();
    await start();
    const { generation } = await service.operate('POST', '/projections/hold-expiry/rebuild');
    const promote = (): Promise<Answer> =>
      service.ask('POST', `/operators/projections/hold-expiry/generations/${generation}/promote`, {
        token: service.operatorToken,
      });
    while ((await promote()).status !== 200);
    await service.forward(DAY / SECOND);
    expect(await openOf('hold-expiry')).toEqual([]);
    // Nothing has written that it ran out, although it did long ago.
    const types = (await eventsOf(`reservation-${id}`)).map(({ type }) => type);
    expect(types).toEqual(['reservation-placed.v1']);
  });

  it('is paged, and counted', async () => {
    for (let nth = 0; nth < 3; nth += 1)
      await service.ask('POST', '/purchases/reserve?deal_id=spa&num_bought=1', { key });
    const all = await openOf('hold-expiry');
    const due = all.map(({ due_at }) => due_at);
    expect([due.length, due]).toEqual([3, due.toSorted()]);
    expect((await ask('GET', '/hold-expiry?page=2&per_page=1')).body.work).toMatchObject([{ key: all[1].key }]);
    expect((await ask('GET', '/hold-expiry?count=true')).body).toEqual({ status: 'success', count: 3 });
  });
});
