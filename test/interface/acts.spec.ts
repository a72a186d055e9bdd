import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { claim, reserve } from '../support/buying.js';
import { BUILD } from '../support/build.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

describe('G9: what operators did is in the log', () => {
  let service: RunningService;
  let acme: TestPartner;
  /** The id of the operator's token. */
  let operator: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    await service.newDeal('lunch', { stock: 10 });
    const { tokens } = await service.operate('GET', '/tokens');
    operator = tokens.find(({ role }: Json) => role === 'operator').id;
  });
  afterAll(() => service.discard());

  const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
    service.ask(method, `/operators${path}`, { token: service.operatorToken, body });

  /** The line of what a request did, without what each line has; undefined where it has none, though its own is there. */
  async function actOf({ headers }: Answer): Promise<Json> {
    for (;;) {
      const lines: Json[] = service.printed
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line));
      const own = lines.filter(({ request_id }) => request_id === headers['request-id']);
      if (own.some(({ msg }) => msg === 'request')) {
        const act = own.find(({ msg }) => msg !== 'request');
        if (act === undefined) return undefined;
        const { level, time: _time, program: _program, pid: _pid, request_id: _id, version, commit, ...rest } = act;
        expect({ version, commit }).toEqual(BUILD);
        expect([level, rest.client, rest.credential]).toEqual(['info', 'operator', operator]);
        const { client: _client, credential: _credential, ...logged } = rest;
        return logged;
      }
      await pause(20);
    }
  }

  it('tokens and keys, by their ids and never themselves', async () => {
    const issued = await ask('POST', '/tokens', { name: 'gil', role: 'auditor' });
    const { id, token } = issued.body;
    expect(await actOf(issued)).toEqual({ msg: 'a token was created', token: id, role: 'auditor' });
    expect(await actOf(await ask('DELETE', `/tokens/${id}`))).toEqual({ msg: 'a token was revoked', token: id });
    const key = await ask('POST', `/partners/${acme.id}/keys`);
    const { key_id, api_key } = key.body;
    expect(await actOf(key)).toEqual({ msg: 'a key of a partner was created', partner: acme.id, key: key_id });
    const revoked = await ask('DELETE', `/partners/${acme.id}/keys/${key_id}`);
    expect(await actOf(revoked)).toEqual({ msg: 'a key of a partner was revoked', partner: acme.id, key: key_id });
    const password = await ask('POST', `/partners/${acme.id}/password`);
    expect(await actOf(password)).toEqual({ msg: 'the password of a partner was replaced', partner: acme.id });
    for (const secret of [token, api_key, password.body.password]) expect(service.printed).not.toContain(secret);
    expect(service.printed).not.toContain('gil');
  });

  it('prices, stock and states', async () => {
    const priced = await ask('PUT', '/deals/lunch', {
      current_price: 800,
      redemption_code_pool: ['canary-code'],
      stock: 9,
    });
    expect(await actOf(priced)).toEqual({
      ...{ msg: 'a deal was set', deal: 'lunch', attributes: ['current_price'] },
      ...{ current_price: 800, stock: 9, codes: 1 },
    });
    expect(service.printed).not.toContain('canary-code');
    const stocked = await ask('PUT', '/deals/lunch/stock', { units: 8 });
    expect(await actOf(stocked)).toEqual({ msg: 'the stock of a deal was set', deal: 'lunch', stock: 8 });
    const moved = await ask('POST', '/deals/lunch/transitions', { to: 'paused', reason: 'rain' });
    expect(await actOf(moved)).toEqual({ msg: 'a deal was moved', deal: 'lunch', to: 'paused' });
    await ask('POST', '/deals/lunch/transitions', { to: 'in-flight' });
  });

  it('an import, as one line for all of its lines', async () => {
    const lines = [
      { kind: 'region', slug: 'north', name: 'canary-region', time_zone: 'America/New_York' },
      { kind: 'deal', slug: 'lunch', current_price: 700, stock: 6 },
      { kind: 'deal', slug: 'dinner' },
      { kind: 'user', partner: 'acme', email: 'canary@example.org' },
    ];
    const send = (body: string, headers: Record<string, string> = {}): Promise<Answer> =>
      service.ask('POST', '/operators/import', {
        token: service.operatorToken,
        body,
        headers: { 'content-type': 'application/x-ndjson', ...headers },
      });
    const file = lines.map((line) => JSON.stringify(line)).join('\n');
    const told = { msg: 'a file was imported', lines: 4, refused: 1, partners: 0 };
    const first = { changed: 3, unchanged: 0, regions: 1, deals: 1, users: 1 };
    expect(await actOf(await send(file))).toEqual({ ...told, ...first });
    const again = { changed: 0, unchanged: 3, regions: 0, deals: 0, users: 0 };
    expect(await actOf(await send(file, { accept: 'application/x-ndjson' }))).toEqual({ ...told, ...again });
    expect(await actOf(await send(''))).toBeUndefined();
    expect(service.printed).not.toContain('canary');
  });

  it('corrections', async () => {
    const user = await service.newUser(acme.key, 'ann@example.org');
    const { id } = await reserve(service, acme.key, 'lunch', 1);
    const { coupons } = await claim(service, acme.key, id, user);
    const because = { reason: 'canary-reason' };
    const again = await ask('POST', `/coupons/${coupons[0].id}/reissue`, because);
    expect(await actOf(again)).toEqual({ msg: 'a coupon was issued again', coupon: coupons[0].id, purchase: id });
    const refunded = await ask('POST', `/purchases/${id}/refund`, because);
    expect(await actOf(refunded)).toEqual({ msg: 'a purchase was refunded', purchase: id });
    expect(service.printed).not.toContain('canary-reason');
  });

  it('rebuilds and the test clock', async () => {
    const begun = await ask('POST', '/projections/coupons/rebuild');
    const { generation } = begun.body;
    expect(await actOf(begun)).toEqual({ msg: 'the rebuild of a view was begun', view: 'coupons', generation });
    const cancelled = await ask('POST', `/projections/coupons/generations/${generation}/cancel`);
    expect(await actOf(cancelled)).toEqual({ msg: 'the rebuild of a view was cancelled', view: 'coupons', generation });
    const now = new Date(Date.now() + 60_000).toISOString();
    expect(await actOf(await ask('PUT', '/clock', { now }))).toEqual({ msg: 'the test clock was moved', now });
  });

  it('nothing of what was refused, or only read', async () => {
    expect(await actOf(await ask('PUT', '/deals/lunch/stock', { units: -1 }))).toBeUndefined();
    expect(await actOf(await ask('DELETE', '/tokens/unknown'))).toBeUndefined();
    expect(await actOf(await ask('GET', '/tokens'))).toBeUndefined();
  });
});
