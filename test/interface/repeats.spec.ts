import { itOnEmbedded } from '../support/on-embedded.js';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { reserve } from '../support/buying.js';
import { newDataDir, RunningService, type Answer, type TestPartner } from '../support/running-service.js';

const OTHER =
  '{"status":"error","error_type":"validation_failed","error_msg":"this Idempotency-Key was used for another request","detail":"the first answer is kept for 24 hours, even a refusal: send a changed request with a new key"}';
const RUNNING =
  '{"status":"error","error_type":"already_processing","error_msg":"the first request with this Idempotency-Key is still running","detail":"wait, then send the same request with the same key again: it gets the answer to the first"}';
const LENGTH =
  '{"status":"error","error_type":"validation_failed","error_msg":"Idempotency-Key must have 1 to 255 characters"}';

/** The parts of an answer that must be the same in a repeat. */
const shown = ({ status, text, headers }: Answer): unknown => ({
  status,
  text,
  type: headers['content-type'],
  position: headers['holdfast-position'],
});

describe('repeated requests', () => {
  let service: RunningService;
  let acme: TestPartner;
  let ann: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    ann = await service.newUser(acme.key, 'ann@example.com');
    await service.newDeal('lunch', { stock: null });
  });
  afterAll(() => service.discard());

  const send = (method: string, path: string, repeatKey: string, body?: unknown, key = acme.key): Promise<Answer> =>
    service.ask(method, path, { key, body, headers: { 'idempotency-key': repeatKey } });
  const reserves = (repeatKey: string, deal_id = 'lunch', num_bought: unknown = 1, key = acme.key): Promise<Answer> =>
    send('POST', '/purchases/reserve', repeatKey, { deal_id, num_bought }, key);
  const units = async (slug: string): Promise<number> =>
    (await service.look(`/deals/${slug}`, acme.key)).body.deal.num_left;

  it('A11: a repeat gets the same answer, byte for byte, and happens once', async () => {
    await service.newDeal('once', { stock: 5 });
    const first = await reserves('k-once', 'once', 2);
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    for (let n = 0; n < 3; n += 1) {
      const again = await reserves('k-once', 'once', 2);
      expect(shown(again)).toEqual(shown(first));
      expect(again.headers['idempotency-replayed']).toBe('true');
    }
    expect(await units('once')).toBe(3);
    const { id } = first.body.purchase;
    const claimed = await send('PUT', `/purchases/${id}/claim`, 'k-claim', { user_id: ann });
    expect(claimed.status).toBe(200);
    const [coupon] = claimed.body.purchase.coupons;
    const redeemed = await send('PUT', `/coupons/${coupon.id}/redeem`, 'k-redeem');
    expect(shown(await send('PUT', `/coupons/${coupon.id}/redeem`, 'k-redeem'))).toEqual(shown(redeemed));
    expect((await service.ask('PUT', `/coupons/${coupon.id}/redeem`, { key: acme.key })).status).toBe(422);
    expect(shown(await send('PUT', `/purchases/${id}/claim`, 'k-claim', { user_id: ann }))).toEqual(shown(claimed));
    const user = await send('POST', '/users', 'k-user', { email: 'once@example.com' });
    expect(shown(await send('POST', '/users', 'k-user', { email: 'once@example.com' }))).toEqual(shown(user));
  });

  it('A11: a request stays the same with another prefix, or with its parameters in another place', async () => {
    const first = await reserves('k-same');
    for (const [path, body] of [
      ['/v1/purchases/reserve.json', { num_bought: 1, deal_id: 'lunch' }],
      ['/api/v1/purchases/reserve?deal_id=lunch', { num_bought: 1 }],
      [`/purchases/reserve?api_key=${acme.key}`, { deal_id: 'lunch', num_bought: 1 }],
      ['/purchases/reserve?deal_id=lunch&num_bought=1', undefined],
    ] as const) {
      expect(shown(await send('POST', path, 'k-same', body))).toEqual(shown(first));
    }
    const form = await service.ask('POST', '/purchases/reserve', {
      key: acme.key,
      body: 'num_bought=1&deal_id=lunch',
      headers: { 'idempotency-key': 'k-same', 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(shown(form)).toEqual(shown(first));
  });

  it('A11: the same key with another request is 422, and the first answer stays', async () => {
    const first = await reserves('k-other');
    const { id } = first.body.purchase;
    for (const answer of [
      await reserves('k-other', 'lunch', 2),
      await reserves('k-other', 'nothing'),
      await send('PUT', `/purchases/${id}/release`, 'k-other'),
      await send('POST', '/users', 'k-other', { email: 'x@example.com' }),
      await send('POST', '/purchases/reserve', 'k-other', { deal_id: 'lunch', num_bought: 1, more: 1 }),
    ]) {
      expect([answer.status, answer.text]).toEqual([422, OTHER]);
    }
    expect(shown(await reserves('k-other'))).toEqual(shown(first));
  });

  it('A11: the comparison of requests ignores passwords', async () => {
    const body = { email: 'secret@example.com', password: 'first', credit_card: { verification_value: '123' } };
    const first = await send('POST', '/users', 'k-secret', body);
    const again = await send('POST', '/users', 'k-secret', {
      email: 'secret@example.com',
      password: 'second',
      pass_confirmation: 'x',
      credit_card: { verification_value: '999' },
    });
    expect(shown(again)).toEqual(shown(first));
  });

  it('A11: the comparison includes what a partner calls a password in its own data', async () => {
    const body = (pass: string): object => ({ email: 'gold@example.com', partner_data: { pass } });
    expect((await send('POST', '/users', 'k-data', body('gold'))).status).toBe(200);
    const other = await send('POST', '/users', 'k-data', body('silver'));
    expect([other.status, other.text]).toEqual([422, OTHER]);
  });

  it('A11, I11: keys belong to the partner that sends them, with whichever of its full keys', async () => {
    const rival = await service.newPartner('rival');
    const second = await service.operate('POST', `/partners/${acme.id}/keys`);
    const answers = [
      await reserves('k-own'),
      await reserves('k-own', 'lunch', 1, rival.key),
      await reserves('k-own', 'lunch', 1, second.api_key),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [own, rivals, withSecond] = answers.map(({ body }) => body.purchase.id);
    expect(rivals).not.toBe(own);
    expect(withSecond).toBe(own);
  });

  it('A11: refusals are stored like successes', async () => {
    await service.newDeal('empty', { stock: 0 });
    const refused = await reserves('k-refused', 'empty');
    expect(refused.status).toBe(422);
    await service.operate('PUT', '/deals/empty/stock', { units: 5 });
    expect(shown(await reserves('k-refused', 'empty'))).toEqual(shown(refused));
    expect((await reserves('k-new', 'empty')).status).toBe(200);
    const unknown = await reserves('k-unknown', 'to-come');
    await service.newDeal('to-come');
    expect(shown(await reserves('k-unknown', 'to-come'))).toEqual(shown(unknown));
  });

  it('A11, A8: a malformed or unauthorised request is not stored', async () => {
    expect((await send('POST', '/purchases/reserve', 'k-broken', '{')).status).toBe(400);
    expect((await reserves('k-broken', 'lunch', 1, 'wrong')).status).toBe(401);
    expect((await reserves('k-broken')).status).toBe(200);
  });

  it('A11: one of twenty requests at once with one key runs; the others get its answer, or 409 while it runs', async () => {
    await service.newDeal('rush', { stock: 20 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => reserves('k-rush', 'rush')));
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThanOrEqual(1);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    for (const { status, text } of answers) if (status !== 200) expect([status, text]).toEqual([409, RUNNING]);
    expect(await units('rush')).toBe(19);
    expect((await reserves('k-rush', 'rush')).text).toBe(done[0]?.text);
  });

  it('A11, G2, G1: an answer that shows a secret once is stored without it', async () => {
    const asOperator = (path: string, repeatKey: string, body?: unknown): Promise<Answer> =>
      service.ask('POST', `/operators${path}`, {
        token: service.operatorToken,
        body,
        headers: { 'idempotency-key': repeatKey },
      });
    const before: number = (await service.operate('GET', '/partners?count=true')).count;
    for (const [path, body, secrets] of [
      ['/partners', { name: 'Once', slug: 'once' }, ['api_key', 'password']],
      [`/partners/${acme.id}/keys`, undefined, ['api_key']],
      [`/partners/${acme.id}/password`, undefined, ['password']],
      ['/tokens', { name: 'eve', role: 'auditor' }, ['token']],
    ] as const) {
      const first = await asOperator(path, `k${path}`, body);
      const again = await asOperator(path, `k${path}`, body);
      for (const name of secrets) {
        expect(first.body[name]).toMatch(/^[\w-]{43}$/);
        expect(again.text).not.toContain(first.body[name]);
      }
      const rest = Object.entries(first.body).filter(([name]) => !(secrets as readonly string[]).includes(name));
      expect([again.status, again.text]).toEqual([200, JSON.stringify(Object.fromEntries(rest))]);
    }
    expect((await service.operate('GET', '/partners?count=true')).count).toBe(before + 1);
  });

  it('A11: a key has 1 to 255 characters, and has no effect on a GET', async () => {
    for (const [repeatKey, status] of [
      ['x'.repeat(255), 200],
      ['x', 200],
      ['x'.repeat(256), 422],
      ['', 422],
    ] as const) {
      const answer = await reserves(repeatKey);
      expect(answer.status).toBe(status);
      if (status === 422) expect(answer.text).toBe(LENGTH);
    }
    const get = (path: string): Promise<Answer> => send('GET', path, 'k-get');
    expect([(await get('/deals/lunch')).status, (await get(`/users/${ann}`)).status]).toEqual([200, 200]);
  });

  it('A11: an answer is stored for 24 hours', async () => {
    const first = await reserves('k-day');
    await service.forward(24 * 3600 - 120);
    expect(shown(await reserves('k-day'))).toEqual(shown(first));
    await service.forward(121);
    const later = await reserves('k-day', 'lunch', 2);
    expect(later.status).toBe(200);
    expect(later.body.purchase.id).not.toBe(first.body.purchase.id);
  });
});

describe('repeated requests and restarts', () => {
  const dataDir = newDataDir();
  let service: RunningService;
  afterAll(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const reserves = (acme: TestPartner, repeatKey: string): Promise<Answer> =>
    service.ask('POST', '/purchases/reserve', {
      key: acme.key,
      body: { deal_id: 'lunch', num_bought: 1 },
      headers: { 'idempotency-key': repeatKey },
    });

  itOnEmbedded(
    'A11: a stored answer survives a restart and a kill -9; a request that a crash cut off frees after 30 s and runs once',
    async () => {
      service = await RunningService.start({ dataDir });
      const acme = await service.newPartner('acme');
      await service.newDeal('lunch', { stock: 10, image: null });
      const first = await reserves(acme, 'k1');
      await service.stop();
      service = await RunningService.start({ dataDir });
      expect((await reserves(acme, 'k1')).status).toBe(200);
      await service.kill();
      service = await RunningService.start({ dataDir });
      const again = await reserves(acme, 'k1');
      // Addresses in answers begin with the service's own, which now has another port; a stored answer is not built again.
      expect([again.text, again.headers['holdfast-position']]).toEqual([
        first.text,
        first.headers['holdfast-position'],
      ]);

      // The process ends with the next append: the hold is on disk, but its answer was never sent.
      const { url: PUBLIC_URL } = service;
      await service.stop();
      service = await RunningService.start({ dataDir, env: { FAILPOINT: 'log.append=1', PUBLIC_URL } });
      await expect(reserves(acme, 'k2')).rejects.toThrow();
      await service.ended();
      service = await RunningService.start({ dataDir });
      const left = async (): Promise<number> => (await service.look('/deals/lunch', acme.key)).body.deal.num_left;
      expect(await left()).toBe(8);
      const early = await reserves(acme, 'k2');
      expect([early.status, early.text, early.headers['retry-after']]).toEqual([409, RUNNING, '1']);
      await service.forward(31);
      const late = await reserves(acme, 'k2');
      expect(late.status).toBe(200);
      expect((await reserves(acme, 'k2')).text).toBe(late.text);
      expect(await left()).toBe(8);
      expect((await reserve(service, acme.key, 'lunch', 8)).fulfillment_state).toBe('reserved');
    },
  );
});
