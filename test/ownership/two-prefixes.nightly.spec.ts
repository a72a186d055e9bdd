import { afterEach, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { casesInFull, describeAlone } from '../support/alone.js';
import { buyFull, cardOf, GOOD_CARD, personOf } from '../support/cards.js';
import { openShop, ServicesOnServer } from '../support/own-server.js';
import { newDataDir, type Json, type RunningService, type TestPartner } from '../support/running-service.js';
import { RunningSandbox } from '../support/running-sandbox.js';

/** Milliseconds: longer than any work list waits before it takes a refund over. */
const TAKEN_OVER = 10_000;

// Without a prefix, all stream names begin like one's own: the wrong installation once carried out a refund.
describeAlone('two installations on one server, one of them without a prefix, and one gateway', () => {
  const services = ServicesOnServer.forEachTest();
  let gateway: RunningSandbox;
  afterEach(() => gateway.kill());

  const start = async (prefix: string, dataDir: string): Promise<RunningService> => {
    const env = { EVENTSTORE_PREFIX: prefix, SANDBOX_GATEWAY_URL: gateway.url, GATEWAY_TIMEOUT: '2500', DEMO: 'false' };
    const service = await services.start(env, dataDir);
    await service.ready();
    return service;
  };
  const buy = async (service: RunningService, shop: TestPartner, email: string): Promise<Json> => {
    const order = { deal_id: 'tram', quantity: 2, user: personOf(email), credit_card: cardOf(GOOD_CARD) };
    const { status, text, body } = await buyFull(service, shop, order);
    expect([status, text]).toEqual([200, text]);
    return body.purchase;
  };
  const calls = (): string[] =>
    gateway.ledger.map((line) => `${line.kind} ${line.kind === 'refund' ? line.charge : line.key}`);

  it.each(casesInFull('b_', 'deal_'))('never ask the gateway about the other’s purchases (%s)', async (prefix) => {
    const sandboxDir = newDataDir();
    gateway = await RunningSandbox.start({ dataDir: sandboxDir });
    const [ofOne, ofOther] = [services.dataDir, newDataDir()];
    const other = await start(prefix, ofOther);
    const sold = await buy(other, await openShop(other), 'ann@example.org');
    // The refund falls due while the gateway is away, and its installation ends before the gateway is back.
    const port = new URL(gateway.url).port;
    await gateway.kill();
    await other.ask('POST', `/operators/purchases/${sold.id}/refund`, {
      token: other.operatorToken,
      body: { reason: 'the tram has stopped' },
    });
    await other.kill();

    gateway = await RunningSandbox.start({ dataDir: sandboxDir, env: { PORT: port } });
    const one = await start('', ofOne);
    const own = await buy(one, await openShop(one), 'bob@example.org');
    await pause(TAKEN_OVER);
    expect(calls()).toEqual([`charge ${sold.id}`, `charge ${own.id}`]);
    const { body } = await one.health();
    expect([body.status, body.findings, body.stuck]).toEqual(['success', [], 0]);

    // The refund was due all the while.
    await start(prefix, ofOther);
    while (calls().length < 3) await pause(100);
    await pause(1_000);
    expect(calls().slice(2)).toEqual([`refund ${sold.id}`, `refund ${sold.id}`].slice(0, calls().length - 2));
  });
});
