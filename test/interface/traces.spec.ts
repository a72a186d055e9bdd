import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findIn } from '../support/canaries.js';
import { buyFull, cardOf, GOOD_CARD, personOf } from '../support/cards.js';
import { Collector, type ReceivedSpan } from '../support/collector.js';
import { RunningService, type Answer, type TestPartner } from '../support/running-service.js';

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const HEADER_SECRET = 'collector-key-canary';
const KINDS = { internal: 1, server: 2, client: 3 };

describe('G9: traces', () => {
  let collector: Collector;
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    collector = await Collector.start();
    service = await RunningService.start({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${HEADER_SECRET}`,
        OTEL_SERVICE_NAME: 'deals',
      },
    });
    acme = await service.newPartner('acme');
    await service.newDeal('spa', { stock: 5 });
  });
  afterAll(async () => {
    await service.discard();
    await collector.stop();
  });

  const traceparent = (flags: string, traceId = CALLER.traceId): { readonly traceparent: string } => ({
    traceparent: `00-${traceId}-${CALLER.spanId}-${flags}`,
  });
  const buy = (headers: Record<string, string>): Promise<Answer> =>
    service.ask('POST', '/v1/purchases/full.json', {
      key: acme.key,
      headers,
      body: { deal_id: 'spa', quantity: 1, user: personOf('ann@example.org'), credit_card: cardOf(GOOD_CARD) },
    });

  describe('of one purchase', () => {
    let request: ReceivedSpan;
    let spans: readonly ReceivedSpan[];
    const named = (name: string): ReceivedSpan => {
      const found = spans.find((span) => span.name === name);
      if (found === undefined) throw new Error(`no ${name} in ${spans.map((span) => span.name).join(', ')}`);
      return found;
    };

    beforeAll(async () => {
      const answer = await buy(traceparent('01'));
      expect([answer.status, answer.body.purchase.payment_state]).toEqual([200, 'charged']);
      request = await collector.span(({ traceId, kind }) => traceId === CALLER.traceId && kind === KINDS.server);
      spans = collector.spans.filter(({ traceId }) => traceId === CALLER.traceId);
    });

    it('begin with the request, which belongs to its caller’s span', () => {
      expect(request).toMatchObject({
        name: 'POST /purchases/full',
        parentId: CALLER.spanId,
        attributes: {
          'http.request.method': 'POST',
          'http.route': '/purchases/full',
          'http.response.status_code': 200,
        },
        resource: { 'service.name': 'deals', 'service.version': expect.any(String), 'holdfast.role': 'all' },
        status: 0,
      });
    });

    it('go on with the command, its appends, and the call to the gateway', () => {
      const command = named('Buy');
      expect([command.parentId, command.kind]).toEqual([request.spanId, KINDS.internal]);
      const charge = named('gateway charge');
      expect(charge).toMatchObject({
        parentId: command.spanId,
        kind: KINDS.client,
        attributes: { 'holdfast.gateway': 'sandbox', 'holdfast.outcome': 'approved' },
      });
      const appends = spans.filter(({ name, parentId }) => name === 'append' && parentId === command.spanId);
      expect(appends.map(({ attributes }) => attributes['holdfast.stream.kind'])).toEqual(
        expect.arrayContaining(['inventory', 'purchase']),
      );
      for (const { attributes, began, ended } of appends) {
        expect(attributes).toMatchObject({ 'holdfast.append.result': 'written', 'holdfast.commands': 1 });
        expect(began >= request.began && ended <= request.ended).toBe(true);
      }
      expect(charge.began >= command.began && charge.ended <= command.ended).toBe(true);
    });

    it('name the appends in the batch of the views that has them', async () => {
      for (const append of spans.filter(({ name }) => name === 'append')) {
        const batch = await collector.span(
          ({ name, links }) => name === 'projection' && links.some(({ spanId }) => spanId === append.spanId),
        );
        expect(batch.links).toContainEqual({ traceId: CALLER.traceId, spanId: append.spanId });
        const [position, after] = [batch.attributes['holdfast.position'], batch.attributes['holdfast.position.after']];
        expect(append.attributes['holdfast.position']).toBeGreaterThan(Number(after));
        expect(append.attributes['holdfast.position']).toBeLessThanOrEqual(Number(position));
      }
    });
  });

  it('are not recorded where the caller does not record theirs', async () => {
    const unrecorded = 'a'.repeat(32);
    expect((await buy(traceparent('00', unrecorded))).status).toBe(200);
    expect((await buy(traceparent('01', 'b'.repeat(32)))).status).toBe(200);
    await collector.span(({ traceId, name }) => traceId === 'b'.repeat(32) && name.startsWith('POST'));
    expect(collector.spans.filter(({ traceId }) => traceId === unrecorded)).toEqual([]);
  });

  it('begin with the request, where the caller sends none, or one that is malformed', async () => {
    const answer = await service.ask('GET', '/v1/deals/spa.json?secret=query-canary', {
      key: acme.key,
      headers: { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01-more` },
    });
    expect(answer.status).toBe(200);
    const span = await collector.span(({ name }) => name === 'GET /deals/:deal_id');
    expect([span.parentId, span.traceId === CALLER.traceId]).toEqual(['', false]);
    const id = answer.headers['request-id'];
    while (!service.printed.includes(`"request_id":"${id}"`)) await pause(10);
    const line = service.printed.split('\n').find((each) => each.includes(`"request_id":"${id}"`)) ?? '';
    expect(JSON.parse(line)).toMatchObject({ trace_id: span.traceId });
  });

  it('name a refusal by its code, and are no failures', async () => {
    const order = { deal_id: 'spa', quantity: 1_000, user: personOf('b@example.org') };
    const { status } = await buyFull(service, acme, { ...order, credit_card: cardOf(GOOD_CARD) });
    expect(status).toBe(422);
    const refused = await collector.span(({ attributes }) => attributes['holdfast.refusal'] !== undefined);
    expect([refused.name, refused.status]).toEqual(['Buy', 0]);
  });

  it('leave out the calls of monitoring', async () => {
    await service.ask('GET', '/health/live');
    await service.ask('GET', '/v1/deals/none.json', { key: acme.key });
    await collector.span(({ attributes }) => attributes['http.response.status_code'] === 404);
    expect(collector.spans.filter(({ name }) => name.includes('health'))).toEqual([]);
  });

  it('A4: have no secret, no data of a person and no id of one', async () => {
    const { body } = await buy({});
    const bought = body.purchase;
    const canaries = {
      key: acme.key,
      'id of a key': acme.keyId,
      card: GOOD_CARD,
      email: 'ann@example.org',
      query: 'query-canary',
      user: bought.user_id,
      purchase: bought.purchase_id,
      token: service.operatorToken,
    };
    await collector.span(({ name }) => name === 'projection');
    expect(findIn('traces', Buffer.concat(collector.bodies), canaries)).toEqual([]);
    // What this search can find.
    expect(findIn('traces', Buffer.concat(collector.bodies), { name: 'gateway charge' })).not.toEqual([]);
    expect(collector.heads.map((head) => head['x-collector-key'])).toContain(HEADER_SECRET);
    expect(service.printed).not.toContain(HEADER_SECRET);
  });

  it('are sent to their end at a stop', async () => {
    await service.ask('GET', '/v1/deals/spa.json', { key: acme.key, headers: traceparent('01', 'c'.repeat(32)) });
    await service.stop();
    expect(collector.spans.map(({ traceId }) => traceId)).toContain('c'.repeat(32));
  });
});

it('G9: a collector that is away holds up nothing, and the log says so once', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_TIMEOUT: '300' };
  const service = await RunningService.start({ env });
  const acme = await service.newPartner('acme');
  await service.newDeal('spa', { stock: 5 });
  const body = { deal_id: 'spa', quantity: 1, user: personOf('ann@example.org'), credit_card: cardOf(GOOD_CARD) };
  expect((await buyFull(service, acme, body)).status).toBe(200);
  const said = (): readonly string[] => service.printed.split('\n').filter((line) => line.includes('traces cannot'));
  while (said().length === 0) await pause(20);
  expect((await buyFull(service, acme, body)).status).toBe(200);
  await service.stop();
  expect(said().map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', reason: 'the collector does not answer: ECONNREFUSED', dropped: expect.any(Number) },
  ]);
  await service.discard();
});
