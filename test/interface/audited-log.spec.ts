import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LOG_READS } from '#kernel/bounds';
import { buy, claim, reserve } from '../support/buying.js';
import { eventsOf } from '../support/data-folder.js';
import { itOnEmbedded } from '../support/on-embedded.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

describe('the log, for auditors', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;
  let purchase: string;
  let written: Json[];

  beforeAll(async () => {
    service = await RunningService.start();
    [acme, rival] = [await service.newPartner('acme'), await service.newPartner('rival')];
    const ann = await service.newUser(acme.key, 'ann@example.com');
    await service.newDeal('lunch', { stock: 1_000 });
    for (let n = 0; n < 3; n += 1)
      await buy(service, rival.key, 'lunch', await service.newUser(rival.key, `${n}@example.com`), 1);
    const { id } = await reserve(service, acme.key, 'lunch', 2);
    await claim(service, acme.key, id, ann);
    purchase = id;
    written = (await lines('')).slice(0, -1);
  });
  afterAll(() => service.discard());

  const ask = (path: string, token = service.auditorToken): Promise<Answer> => service.ask('GET', path, { token });
  const lines = async (query: string): Promise<Json[]> => {
    const response = await fetch(`${service.url}/auditors/log?${query}`, {
      headers: { authorization: `Bearer ${service.auditorToken}` },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    return (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const eventsFor = async (query: string): Promise<Json[]> => {
    const all = await lines(query);
    expect(all.at(-1).end.events).toBe(all.length - 1);
    return all.slice(0, -1);
  };

  it('G7.3: a stream is shown in parts, in order, with what the log holds', async () => {
    const whole = await ask('/auditors/streams/inventory-lunch');
    expect(whole.body).toMatchObject({ status: 'success', stream: 'inventory-lunch', next: null });
    const { events } = whole.body;
    expect(events).toEqual(written.filter(({ stream }) => stream === 'inventory-lunch'));
    expect(events.map(({ revision }: Json) => revision)).toEqual(events.map((_: Json, at: number) => at));
    const parts: Json[] = [];
    for (let from: number | null = 0; from !== null;) {
      const { body } = await ask(`/auditors/streams/inventory-lunch?from=${from}&limit=2`);
      expect(body.events.length).toBeLessThanOrEqual(2);
      parts.push(...body.events);
      from = body.next;
    }
    expect(parts).toEqual(events);
    const beyond = await ask('/auditors/streams/inventory-lunch?from=1000');
    expect([beyond.body.events, beyond.body.next]).toEqual([[], null]);
    expect((await ask('/auditors/streams/inventory-dinner')).status).toBe(404);
    expect((await ask('/auditors/streams/inventory-lunch?limit=0')).body.errors[0].field).toBe('limit');
  });

  it('G7.6: who changed a price, and to what, is told by one line and its actor', async () => {
    const body = { current_price: 1_200 };
    await service.ask('PUT', '/operators/deals/lunch', { token: service.operatorToken, body });
    const { events } = (await ask('/auditors/streams/deal-lunch')).body;
    const { actor, type, words } = events.at(-1);
    expect([actor, type, words]).toEqual([
      'operator:operator',
      'deal-changed.v1',
      'lunch: current_price is 12.00 USD now',
    ]);
    // The log has the same words in its lines.
    expect((await eventsFor('type=deal-changed')).map((event) => event.words)).toEqual([words]);
  });

  it('G7.3: the whole log comes line by line, and the last line says that it is whole', async () => {
    const all = await lines('');
    const { end } = all.pop();
    expect(end.events).toBe(all.length);
    expect(end.read).toBe(all.length);
    expect(end.position).toBe(all.at(-1).position);
    for (const event of all) expect(Object.keys(event)).toEqual(Object.keys(written[0]));
    const positions = all.map(({ position }) => BigInt(position));
    expect(positions).toEqual(positions.toSorted((a, b) => (a < b ? -1 : 1)));
  });

  itOnEmbedded('G7.3: no event is missing', async () => {
    const stored = await eventsOf(service.dataDir);
    expect(written.map(({ stream, revision }) => `${stream}@${revision}`)).toEqual(
      stored.slice(0, written.length).map(({ stream, revision }: Json) => `${stream}@${revision}`),
    );
  });

  it('G7.3: positions, moments, actor and type select events, alone and together', async () => {
    const type = await eventsFor('type=purchase-recorded,hold-placed.v1');
    expect(type).toEqual(written.filter((event) => /^(purchase-recorded|hold-placed)\./.test(event.type)));
    expect(type.length).toBeGreaterThan(1);
    const actor = await eventsFor('actor=partner:rival');
    expect(actor).toEqual(written.filter((event) => event.actor.startsWith('partner:rival/')));
    expect(actor.length).toBeGreaterThan(3);
    expect(await eventsFor(`actor=partner:rival/key:${rival.keyId}`)).toEqual(actor);
    expect(await eventsFor('actor=partner:riv')).toEqual([]);
    const [from, to] = [written[5], written.at(-5)];
    const between = (await eventsFor(`from=${from.position}&to=${to.position}`)).map(({ position }) => position);
    expect(between).toEqual(written.slice(5, -4).map(({ position }) => position));
    const moments = await eventsFor(`from=${from.time}&to=${to.time}`);
    expect(moments).toEqual(written.filter(({ time }) => time >= from.time && time <= to.time));
    const both = await eventsFor(`from=${from.position}&actor=partner:acme&type=coupon-issued`);
    expect(both.map(({ data }) => data['purchase_id'])).toEqual([purchase, purchase]);
  });

  it('G7.3: what names nothing is refused by name', async () => {
    const field = async (query: string): Promise<unknown> => {
      const { status, body } = await ask(`/auditors/log?${query}`);
      return [status, body.errors?.map(({ field, message }: Json) => `${field}: ${message}`)];
    };
    expect(await field('type=purchase-recordet')).toEqual([422, ['type: must be a type that docs/events.md lists']]);
    expect(await field('from=987654321987')).toEqual([
      422,
      ['from: no event is at this position: send that of an event, or a moment'],
    ]);
    expect(await field('to=yesterday')).toEqual([
      422,
      [expect.stringMatching(/^to: must be a position in digits, or a time/)],
    ]);
    expect(await field('from=2026-01-01')).toEqual([422, [expect.stringContaining('2026-01-01T00:00:00Z')]]);
  });

  it('G7.8: a rare type or actor is found, and hardly any other event is read', async () => {
    const [all, found] = [(await lines('')).at(-1).end, await lines('type=region-set')];
    expect(found.slice(0, -1)).toEqual(written.filter(({ type }) => type === 'region-set.v1'));
    expect(found.length).toBeGreaterThan(1);
    expect(found.at(-1).end.position).toBe(all.position);
    const once = (await lines('type=deal-created')).at(-1).end;
    expect(once.events).toBe(1);
    expect(once.read).toBeLessThanOrEqual(32);
    expect(once.read).toBeLessThan(all.read);
  });

  it('G7.8: a whole role is one actor', async () => {
    const all = (await lines('')).slice(0, -1);
    for (const role of ['operator', 'auditor', 'user'])
      expect(await eventsFor(`actor=${role}`)).toEqual(all.filter(({ actor }) => actor.startsWith(`${role}:`)));
    expect((await eventsFor('actor=operator&type=deal-created')).map(({ stream }) => stream)).toEqual(['deal-lunch']);
  });

  it('G7.8: the last events that fit come the newest first', async () => {
    const rivals = (await eventsFor('actor=partner:rival')).toReversed();
    expect(await eventsFor('actor=partner:rival&last=3')).toEqual(rivals.slice(0, 3));
    expect(await eventsFor('actor=partner:rival&last=1000')).toEqual(rivals);
    const before = rivals[2]?.position;
    expect(await eventsFor(`actor=partner:rival&last=2&to=${before}`)).toEqual(rivals.slice(2, 4));
    const [newest] = await eventsFor('type=hold-placed,purchase-recorded&last=1');
    expect(newest).toEqual(written.findLast(({ type }) => /^(hold-placed|purchase-recorded)\./.test(type)));
  });

  it('G7.8: what the index cannot find is refused by name', async () => {
    const fields = async (query: string): Promise<unknown> => {
      const { status, body } = await ask(`/auditors/log?${query}`);
      return [status, body.errors?.map(({ field }: Json) => field)];
    };
    for (const last of ['0', '1001', 'all', '1.5'])
      expect(await fields(`actor=operator&last=${last}`)).toEqual([422, ['last']]);
    expect(await fields('last=5')).toEqual([422, ['last']]);
    expect(await fields('actor=partner&last=5')).toEqual([422, ['actor']]);
    expect(await fields('actor=anne')).toEqual([422, ['actor']]);
  });

  it('G7.3: it ends at the end that the log had, while others write', async () => {
    const ann = await service.newUser(acme.key, 'busy@example.com');
    const over = new AbortController();
    const writing = (async () => {
      while (!over.signal.aborted) await buy(service, acme.key, 'lunch', ann, 1);
    })();
    for (let n = 0; n < 5; n += 1) expect((await lines('')).at(-1)).toHaveProperty('end');
    over.abort();
    await writing;
  });

  it('G7.3: those who leave in the middle give their place back', async () => {
    for (let n = 0; n <= LOG_READS.atOnce; n += 1) {
      const leave = new AbortController();
      const headers = { authorization: `Bearer ${service.auditorToken}` };
      const { status } = await fetch(`${service.url}/auditors/log`, { headers, signal: leave.signal });
      expect(status).toBe(200);
      leave.abort();
    }
    await expect(eventsFor('type=terms-set')).resolves.not.toEqual([]);
  });

  it('G7.3: is for auditors and operators only', async () => {
    for (const path of ['/auditors/log', '/auditors/streams/inventory-lunch']) {
      expect((await ask(path, service.operatorToken)).status).toBe(200);
      expect((await service.ask('GET', path, { key: acme.key })).status).toBe(401);
    }
  });
});
