import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { readLedger } from '#adapters/sandbox-gateway';
import { buyFull, cardOf, GOOD_CARD, personOf } from '../support/cards.js';
import { casesInFull, describeAlone, itInFull } from '../support/alone.js';
import { keepingTheLog } from '../support/log-kept.js';
import { healthOnce, ServicesOnServer } from '../support/own-server.js';
import type { Json, RunningService, TestPartner } from '../support/running-service.js';

const PREFIX = 'holdfast_';

type Cut = (client: EventStoreDBClient, stream: string) => Promise<unknown>;

describeAlone('streams that somebody else changed', () => {
  const on = ServicesOnServer.forEachTest();
  let client: EventStoreDBClient;
  let service: RunningService;
  let acme: TestPartner;
  let purchase: Json;
  let streams: string[];

  beforeEach(async () => {
    client = EventStoreDBClient.connectionString(on.server.url);
    service = await on.ready();
    acme = await service.newPartner('acme');
    await service.newDeal('cut', { stock: 10 });
    await service.newDeal('whole', { stock: 10 });
    const body = { deal_id: 'cut', quantity: 2, credit_card: cardOf(GOOD_CARD), user: personOf('ann@example.org') };
    purchase = (await buyFull(service, acme, body)).body.purchase;
    const [coupon] = purchase.coupons;
    expect((await service.ask('PUT', `/coupons/${coupon.id}/redeem`, { key: acme.key })).status).toBe(200);
    streams = ['inventory-cut', `purchase-${purchase.id}`, `coupon-${coupon.id}`];
  });
  afterEach(() => client.dispose());

  /** What needs each of the three streams: a hold, a refund, a cancelled coupon. */
  const tried = async (): Promise<number[]> => {
    const token = service.operatorToken;
    const requests = [
      service.ask('POST', '/purchases/reserve?deal_id=cut&num_bought=1', { key: acme.key }),
      service.ask('POST', `/operators/purchases/${purchase.id}/refund`, { token, body: { reason: 'sorry' } }),
      service.ask('POST', `/operators/coupons/${purchase.coupons[0].id}/cancel`, { token, body: { reason: 'sorry' } }),
    ];
    return (await Promise.all(requests)).map(({ status }) => status);
  };
  const others = async (): Promise<number> =>
    (await service.ask('POST', '/purchases/reserve?deal_id=whole&num_bought=1', { key: acme.key })).status;
  /** The findings of health, once they name all three streams. */
  const found = async (): Promise<Json[]> => {
    const { http, findings } = await healthOnce(
      service,
      (health) => new Set(health.findings.map(({ stream }: Json) => stream)).size === streams.length,
    );
    expect(http).toBe(503);
    return findings;
  };
  const charged = (): number => readLedger(join(on.dataDir, 'sandbox-gateway.jsonl')).length;

  // What a setting removes comes back without it, so that is accepted only while ACCEPT names it.
  const cuts = casesInFull<[string, Cut, string, boolean?]>(
    ['a soft delete', (by, stream) => by.deleteStream(stream), '$tb'],
    ['$maxCount', (by, stream) => by.setStreamMetadata(stream, { maxCount: 1 }), '$maxCount 1'],
    ['$maxAge', (by, stream) => by.setStreamMetadata(stream, { maxAge: 1 }), '$maxAge 1'],
    ['a tombstone', (by, stream) => by.tombstoneStream(stream), 'for ever (a tombstone)', true],
  );
  it.each(cuts)(
    'after %s are refused while the service runs and at its start: it decides nothing on them and goes on with others',
    async (_, cut, words, isForEver = false) => {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      const before = charged();
      for (const stream of streams) await cut(client, PREFIX + stream);
      const running = await found();
      for (const { message } of running) {
        expect(message).toContain(words);
        expect(message).toContain('redemption codes');
        expect(message).toContain('ACCEPT=');
      }
      expect([await tried(), await others(), charged()]).toEqual([[503, 503, 503], 200, before]);

      const again: Json[] = [];
      for (let starts = 0; starts < 2; starts += 1) {
        await service.stop();
        service = await on.start();
        again.push(...(await found()));
        expect([await tried(), await others(), charged()]).toEqual([[503, 503, 503], 200, before]);
        // The views go on past the cut.
        await new Promise((resolve) => setTimeout(resolve, 1_500));
      }

      const codes = [...running, ...again].map(({ code }: Json) => code as string);
      await service.stop();
      service = await on.accepting([...new Set(codes)].join(','));
      await tried();
      expect([await others(), (await service.health()).status]).toEqual([200, 200]);
      await service.stop();
      service = await on.start();
      await healthOnce(service, ({ status, findings }) =>
        isForEver ? status === 'success' : findings.length === streams.length,
      );
    },
  );

  it('with an event of another program are refused until an operator accepts it; the event then has no effect', async () => {
    await on.server.control.append(`${PREFIX}inventory-cut`, [{ type: 'theirs', data: { of: 'another program' } }]);
    const { findings } = await healthOnce(service, (health) => health.findings.length > 0);
    const [{ code, message }] = findings;
    expect(message).toContain('(theirs) was not written by Holdfast');
    expect([(await tried())[0], await others()]).toEqual([503, 200]);
    await service.stop();
    service = await on.accepted(code);
    expect((await tried())[0]).toBe(200);
    expect((await service.health()).status).toBe(200);
  });

  it('are never begun anew, also when a scavenged node does not know them any more', async () => {
    const [stream] = streams;
    if (stream === undefined) throw new Error('there is no stream');
    await client.setStreamMetadata(PREFIX + stream, { maxCount: 1 });
    await client.setStreamMetadata(PREFIX + stream, { maxCount: 1, custom: true });
    await healthOnce(service, ({ findings }) => findings.length === 1);
    await service.stop();
    await on.server.control.scavenge();
    await on.server.control.refill();
    service = await on.start();
    const { findings } = await healthOnce(service, (health) => health.findings.length === 1);
    expect(findings[0]).toMatchObject({ stream, message: expect.stringContaining('It is never begun anew') });
    expect([(await tried())[0], await others()]).toEqual([503, 200]);
    const { code } = findings[0];
    await service.stop();
    service = await keepingTheLog(
      () => on.server.control.events(),
      () => on.start({ ACCEPT: code }),
    );
    await healthOnce(service, (health) => health.findings.length === 1);
    expect((await tried())[0]).toBe(503);
    const there = await on.server.control.events(PREFIX + stream);
    expect(there.filter(({ revision }) => revision === 0)).toEqual([]);
  });

  itInFull('are complete again when the setting is removed before the server scavenges', async () => {
    for (const stream of streams) await client.setStreamMetadata(PREFIX + stream, { maxCount: 1 });
    await found();
    for (const stream of streams) await client.setStreamMetadata(PREFIX + stream, {});
    await service.stop();
    service = await on.ready();
    const [reserved] = await tried();
    expect([reserved, (await service.health()).status]).toEqual([200, 200]);
  });
});
