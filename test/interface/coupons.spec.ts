import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { utcTime } from '#kernel';
import { at, buy, claim, reserve, timeOf } from '../support/buying.js';
import { readQrPng } from '../support/qr-reader.js';
import { NO_USER } from '../support/refusals.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

/** Ruling B7. */
const KEYS =
  `id slug deal_id deal_type barcode expires_at created_at qr_code_url qr_code state redemption_code redeemed_at
  print_url`.split(/\s+/);
const SPOKEN = /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d UTC \d{4}$/;
const UNKNOWN = JSON.stringify({
  status: 'error',
  error_type: 'redeem_failed',
  error_msg: 'Failed. not found.',
  detail: 'you have no coupon with this id or barcode, or it belongs to another user',
});
const DAY = 86_400_000;

describe('coupons', () => {
  let service: RunningService;
  let acme: TestPartner;
  let ann: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    ann = await service.newUser(acme.key, 'ann@example.com');
    await service.newDeal('lunch', { stock: 1000 });
  });
  afterAll(() => service.discard());

  const redeem = (id: string, path = `/coupons/${id}/redeem`): Promise<Answer> =>
    service.ask('PUT', path, { key: acme.key });
  const list = (query = '', user = ann): Promise<Answer> =>
    service.ask('GET', `/users/${user}/coupons${query}`, { key: acme.key });
  const ids = (answer: Answer): string[] => answer.body.coupons.map(({ id }: Json) => id);
  const bought = async (slug: string, quantity = 1, user = ann): Promise<Json[]> =>
    (await buy(service, acme.key, slug, user, quantity)).coupons;

  it('2.6.1, 2.6.2, 2.6.3, 2.6.4, 2.6.6, 2.6, B7, A9, B2: a coupon has its keys in order, and an id of lower-case hex', async () => {
    const [coupon] = await bought('lunch');
    expect(Object.keys(coupon)).toEqual(KEYS);
    expect(coupon).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      slug: coupon.id,
      deal_id: 'lunch',
      deal_type: 'daily-deal',
      barcode: expect.stringMatching(/^\d{12}$/),
      expires_at: null,
      created_at: expect.stringMatching(SPOKEN),
      qr_code_url: expect.stringMatching(new RegExp(`^${service.url}/coupons/${coupon.id}/[0-9a-f]{16}/qr\\.png$`)),
      qr_code: expect.stringMatching(/^[A-Za-z0-9+/]+={0,2}$/),
      state: 'valid',
      redemption_code: null,
      redeemed_at: null,
      print_url: expect.stringMatching(new RegExp(`^${service.url}/coupons/${coupon.id}/[0-9a-f]{16}/print$`)),
    });
  });

  it('2.6.5, 2.6, B7: the QR code is a PNG that scans to the redemption URL, always with the same bytes, also at its own address', async () => {
    const [first, second] = await bought('lunch', 2);
    expect(first.qr_code).not.toBe(second.qr_code);
    for (const coupon of [first, second]) {
      const png = Buffer.from(coupon.qr_code, 'base64');
      expect(readQrPng(png)).toBe(`${service.url}/C/${coupon.id}`.toUpperCase());
      // Level L with only capitals and digits: 57 of them need a code of 29 modules and a border of 4, at 4 pixels each.
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([148, 148]);
      const served = await service.ask('GET', new URL(coupon.qr_code_url).pathname);
      expect([served.status, served.headers['content-type']]).toEqual([200, 'image/png']);
      expect(served.bytes.equals(png)).toBe(true);
    }
    const again = (await list('?per_page=2')).body.coupons.find(({ id }: Json) => id === first.id);
    expect(again).toEqual(first);
  });

  it('B7: the picture’s address is signed: with another coupon’s signature, or an invalid one, it opens nothing', async () => {
    const [first, second] = await bought('lunch', 2);
    const signature = (coupon: Json): string => coupon.qr_code_url.split('/').at(-2);
    expect(signature(first)).not.toBe(signature(second));
    for (const path of [
      `/coupons/${first.id}/${signature(second)}/qr.png`,
      `/coupons/${first.id}/0000000000000000/qr.png`,
      `/coupons/${first.id}/x/qr.png`,
      `/coupons/%00/${signature(first)}/qr.png`,
    ]) {
      expect((await service.ask('GET', path)).status).toBe(404);
    }
    expect((await service.ask('GET', `/v1/coupons/${first.id}/${signature(first)}/qr.png`)).status).toBe(200);
  });

  it('B7: the picture’s address does not open the page, nor the page’s the picture', async () => {
    const [coupon] = await bought('lunch', 1);
    const signature = (url: string): string => url.split('/').at(-2) ?? '';
    const [picture, page] = [signature(coupon.qr_code_url), signature(coupon.print_url)];
    const status = async (path: string): Promise<number> =>
      (await service.ask('GET', `/coupons/${coupon.id}/${path}`)).status;
    expect(await status(`${picture}/print`)).toBe(404);
    expect([await status(`${page}/print`), await status(`${page}/qr.png`)]).toEqual([200, 404]);
  });

  it('3.4.1, 4.8.2, 4.8.3, 2.6.3, 2.6.4, 3.4, 4.8, B1, D10: redeeming a coupon changes only its state and its time', async () => {
    const [one, two] = await bought('lunch', 2);
    await service.forward(60);
    for (const [coupon, path] of [
      [one, `/coupons/${one.id}/redeem`],
      [two, `/users/${ann}/coupons/${two.id}/redeem`],
    ]) {
      const answer = await redeem(coupon.id, path);
      expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['status', 'coupon']]);
      expect(answer.body.coupon).toEqual({ ...coupon, state: 'redeemed', redeemed_at: expect.stringMatching(SPOKEN) });
      const apart = Date.parse(answer.body.coupon.redeemed_at) - Date.parse(coupon.created_at);
      expect(apart).toBeGreaterThanOrEqual(59_000);
      expect((await list(`?filter=redeemed`)).body.coupons).toContainEqual(answer.body.coupon);
    }
  });

  it('3.4.1, 3.4, D10: a redeemed or unknown coupon cannot be redeemed', async () => {
    const [coupon] = await bought('lunch');
    const first = await redeem(coupon.id);
    const again = await redeem(coupon.id);
    expect([again.status, again.text]).toEqual([
      422,
      JSON.stringify({
        status: 'error',
        error_type: 'redeem_failed',
        error_msg: 'the coupon is redeemed',
        detail: `it was redeemed at ${utcTime(Date.parse(first.body.coupon.redeemed_at))}`,
      }),
    ]);
    const bob = await service.newUser(acme.key, 'bob@example.com');
    const [mine] = await bought('lunch');
    for (const path of [
      '/coupons/nothing/redeem',
      '/coupons/constructor/redeem',
      '/coupons/%00/redeem',
      `/users/${bob}/coupons/${mine.id}/redeem`,
      `/users/nobody/coupons/${mine.id}/redeem`,
    ]) {
      const answer = await redeem('', path);
      expect([answer.status, answer.text]).toEqual([404, UNKNOWN]);
    }
    expect((await redeem(mine.id)).status).toBe(200);
  });

  const scan = (scanned: string): Promise<Answer> =>
    service.ask('PUT', '/coupons/redeem', { key: acme.key, body: { coupon: scanned } });

  it('I8: a till redeems whatever it has scanned: the redemption URL, the id in any case, the barcode, also in groups', async () => {
    const six = await bought('lunch', 6);
    const grouped = ({ barcode }: Json): string => barcode.replaceAll(/(.{4})(?=.)/g, '$1 ');
    const scanned = [
      readQrPng(Buffer.from(six[0].qr_code, 'base64')),
      `${service.url}/c/${six[1].id}/?from=app`,
      six[2].id.toUpperCase(),
      six[3].id,
      six[4].barcode,
      `${grouped(six[5])}\r\n`,
    ];
    for (const [at, text] of scanned.entries()) {
      const answer = await scan(text);
      expect([text, answer.status, answer.body.coupon?.id]).toEqual([text, 200, six[at].id]);
      expect(answer.body).toEqual({
        status: 'success',
        coupon: { ...six[at], state: 'redeemed', redeemed_at: expect.stringMatching(SPOKEN) },
      });
      const again = await scan(text);
      expect([again.status, again.body.error_type, again.body.error_msg]).toEqual([
        422,
        'redeem_failed',
        'the coupon is redeemed',
      ]);
    }
  });

  it('I8: a path names a coupon by its id in any case and by its barcode, within the partner', async () => {
    const [one, two] = await bought('lunch', 2);
    const rival = await service.newPartner('rival');
    for (const named of [one.barcode, one.id.toUpperCase()]) {
      const shown = await service.ask('GET', `/coupons/${named}`, { key: acme.key });
      expect([shown.status, shown.body.coupon]).toEqual([200, one]);
      for (const [method, path] of [
        ['GET', `/coupons/${named}`],
        ['PUT', `/coupons/${named}/redeem`],
      ] as const) {
        const answer = await service.ask(method, path, { key: rival.key });
        expect([answer.status, answer.body.error_msg]).toEqual([404, 'Failed. not found.']);
      }
    }
    expect((await redeem(one.barcode)).body.coupon.id).toBe(one.id);
    const ofUser = await redeem('', `/users/${ann}/coupons/${two.barcode}/redeem`);
    expect([ofUser.status, ofUser.body.coupon.id]).toEqual([200, two.id]);
  });

  it('I8: a till sees a coupon with its deal before it redeems it, and its state after', async () => {
    await service.newDeal('shown', { merchant_name: 'Café Zoë', value: 2500, fine_print: 'Not on Sundays.' });
    const [coupon] = await bought('shown');
    const show = (): Promise<Answer> => service.ask('GET', `/coupons/${coupon.id}`, { key: acme.key });
    const shown = await show();
    expect([shown.status, Object.keys(shown.body)]).toEqual([200, ['status', 'coupon', 'deal']]);
    expect(shown.body.coupon).toEqual(coupon);
    expect(shown.body.deal).toEqual({
      title: expect.any(String),
      merchant_name: 'Café Zoë',
      value: 2500,
      fine_print: 'Not on Sundays.',
      instructions: null,
    });
    const { body } = await redeem(coupon.id);
    expect((await show()).body).toEqual({ ...shown.body, coupon: body.coupon });
  });

  it('I8: nobody finds coupons by guessing barcodes, neither a user with a token nor a till', async () => {
    const [coupon] = await bought('lunch');
    const other = await service.newUser(acme.key, 'guesser@example.org');
    const issued = await service.ask('POST', `/users/${other}/access_tokens`, {
      key: acme.key,
      body: { expires_in: 600, scope: 'coupon', access: 'read,write' },
    });
    const token: string = issued.body.access_token.id;
    const answers: string[] = [];
    for (const barcode of [coupon.barcode, '000000000000']) {
      const shown = await service.ask('GET', `/coupons/${barcode}`, { token });
      const redeemed = await service.ask('PUT', `/coupons/${barcode}/redeem`, { token });
      const scanned = await service.ask('PUT', '/coupons/redeem', { token, body: { coupon: barcode } });
      answers.push([shown, redeemed, scanned].map(({ status, text }) => `${status} ${text}`).join());
    }
    expect(answers[0]).toMatch(/^403 /);
    expect(answers[1]).toBe(answers[0]);

    const { api_key: till } = await service.operate('POST', `/partners/${acme.id}/keys`, {
      name: 'guessing till',
      scope: 'coupon',
      access: 'read,write',
    });
    const show = (named: string, key: string): Promise<Answer> => service.ask('GET', `/coupons/${named}`, { key });
    const guesses = Array.from({ length: 120 }, (_, each) => String(each).padStart(12, '0'));
    const guessed = await Promise.all(guesses.map((barcode) => show(barcode, till)));
    expect(guessed.filter(({ status }) => status === 404).length).toBeLessThanOrEqual(100);
    const late = await show(coupon.barcode, till);
    expect([late.status, late.body.error_type]).toEqual([429, 'rate_limited']);
    expect(Number(late.headers['retry-after'])).toBeLessThanOrEqual(60);
    const redeems = { key: till, body: { coupon: coupon.barcode } };
    expect((await service.ask('PUT', '/coupons/redeem', redeems)).status).toBe(429);
    expect((await service.ask('PUT', `/coupons/${coupon.barcode}/redeem`, { key: till })).status).toBe(429);
    // The QR code has the id, which nobody can guess; and the partner's own key has no such limit.
    expect((await show(coupon.id, till)).status).toBe(200);
    expect((await show(coupon.barcode, acme.key)).status).toBe(200);
  });

  it('I8, A8: what names no coupon is unknown; the address of another service, or of something else, is refused by name', async () => {
    for (const scanned of ['nothing', '0'.repeat(32), '000000000000', `${service.url}/C/${'0'.repeat(32)}`]) {
      const answer = await scan(scanned);
      expect([scanned, answer.status, answer.text]).toEqual([scanned, 404, UNKNOWN]);
    }
    const unknown = await service.ask('GET', '/coupons/000000000000', { key: acme.key });
    expect([unknown.status, unknown.text]).toEqual([
      404,
      JSON.stringify({
        status: 'error',
        error_type: 'find_failed',
        error_msg: 'Failed. not found.',
        detail: 'you have no coupon with this id or barcode',
      }),
    ]);
    const [coupon] = await bought('lunch');
    const refused = async (body: object, entry: object): Promise<void> => {
      const answer = await service.ask('PUT', '/coupons/redeem', { key: acme.key, body });
      expect([answer.status, answer.body.errors]).toEqual([422, [{ ...entry, field: 'coupon', resource: 'coupon' }]]);
    };
    const begins = `begin with ${service.url}/C/`;
    await refused(
      { coupon: `https://evil.example/C/${coupon.id}` },
      { type: 'invalid', message: `is an address of another service: this one’s ${begins}` },
    );
    await refused(
      { coupon: `${service.url}/deals/lunch` },
      { type: 'invalid', message: `is not the address of a coupon’s QR code, which begins with ${service.url}/C/` },
    );
    await refused({}, { type: 'missing_field', message: 'is missing' });
    await refused({ coupon: 'x'.repeat(2101) }, { type: 'invalid', message: 'must have at most 2100 characters' });
    expect((await redeem(coupon.id)).status).toBe(200);
  });

  it('I8: an operator names any coupon in the same ways', async () => {
    const [one, two] = await bought('lunch', 2);
    const cancelled = await service.operate('POST', `/coupons/${one.barcode}/cancel`, { reason: 'a test' });
    expect([cancelled.coupon.id, cancelled.coupon.state]).toEqual([one.id, 'cancelled']);
    const reissued = await service.operate('POST', `/coupons/${two.id.toUpperCase()}/reissue`, { reason: 'a test' });
    const old = await redeem(two.barcode);
    expect([old.status, old.body.detail]).toEqual([422, expect.stringContaining(reissued.coupon.id)]);
    expect((await redeem(reissued.coupon.barcode)).body.coupon.id).toBe(reissued.coupon.id);
  });

  it('D10: exactly one of thirty redemptions at once succeeds', async () => {
    const [coupon] = await bought('lunch');
    const answers = await Promise.all(Array.from({ length: 30 }, () => redeem(coupon.id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status, body }) => status === 422 && body.error_type === 'redeem_failed')).toHaveLength(
      29,
    );
  });

  it('3.4.3, 2.6.3, 2.6.4, D10, B1, 4.8: a coupon expires at the deal’s expires_at or a number of days after the sale, by the clock alone', async () => {
    const now = await timeOf(service);
    await service.newDeal('dated', { end_at: at(now + 2 * DAY), expires_at: at(now + 2 * DAY) });
    await service.newDeal('counted', { expiration_days: 3, expires_at: at(now + 99 * DAY) });
    const [dated] = await bought('dated');
    const [counted] = await bought('counted');
    expect(Date.parse(dated.expires_at)).toBe(Math.floor((now + 2 * DAY) / 1000) * 1000);
    expect(Date.parse(counted.expires_at) - Date.parse(counted.created_at)).toBe(3 * DAY);
    expect(dated.expires_at).toMatch(SPOKEN);
    const state = async (coupon: Json): Promise<string> =>
      (await list('?per_page=1000')).body.coupons.find(({ id }: Json) => id === coupon.id).state;
    await service.forward(2 * 86_400 - 600);
    expect([await state(dated), await state(counted)]).toEqual(['valid', 'valid']);
    await service.forward(600);
    expect([await state(dated), await state(counted)]).toEqual(['expired', 'valid']);
    const late = await redeem(dated.id);
    expect([late.status, late.text]).toEqual([
      422,
      JSON.stringify({
        status: 'error',
        error_type: 'redeem_failed',
        error_msg: 'the coupon is expired',
        detail: `since ${utcTime(Date.parse(dated.expires_at))}`,
      }),
    ]);
    await service.forward(86_400);
    expect(await state(counted)).toBe('expired');
    expect(ids(await list('?filter=expired')).toSorted()).toEqual([dated.id, counted.id].toSorted());
    expect(ids(await list('?filter=valid'))).not.toContain(dated.id);
  });

  it('4.8.1, 4.8, 4.1, A10, A2: a list shows a user’s coupons, newest first, by any of the states, in pages', async () => {
    const cid = await service.newUser(acme.key, 'cid@example.com');
    await service.newDeal('filtered', { stock: 10, expiration_days: 1 });
    await service.newDeal('lasting', { stock: 10, expiration_days: 30 });
    const [redeemed] = await bought('filtered', 1, cid);
    await redeem(redeemed.id);
    await service.forward(1);
    const [expired] = await bought('filtered', 1, cid);
    await service.forward(86_400);
    const [valid] = await bought('lasting', 1, cid);
    const cases: readonly (readonly [string, readonly Json[]])[] = [
      ['', [valid, expired, redeemed]],
      ['?filter=', [valid, expired, redeemed]],
      ['?filter=valid', [valid]],
      ['?filter=redeemed', [redeemed]],
      ['?filter=expired', [expired]],
      ['?filter=valid,redeemed', [valid, redeemed]],
      ['?filter[]=expired&filter[]=redeemed', [expired, redeemed]],
      ['?filter=valid,redeemed,expired&per_page=2', [valid, expired]],
      ['?per_page=2&page=2', [redeemed]],
      ['?per_page=2&page=3', []],
    ];
    for (const [query, coupons] of cases) {
      const answer = await list(query, cid);
      expect(Object.keys(answer.body)).toEqual(['status', 'coupons']);
      expect([query, ids(answer)]).toEqual([query, coupons.map(({ id }) => id)]);
      const [first = ''] = query.split('&');
      if (!query.includes('page')) {
        const count = await list(`${first === '' ? '?' : `${query}&`}count=true`, cid);
        expect(count.text).toBe(`{"status":"success","count":${coupons.length}}`);
      }
    }
    const body = await service.ask('GET', `/users/${cid}/coupons`, { key: acme.key, body: { filter: ['valid'] } });
    expect(ids(body)).toEqual([valid.id]);
    const wrong = await list('?filter=valid,lost', cid);
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      [
        {
          type: 'invalid',
          message: 'must be one of valid, redeemed, expired',
          field: 'filter',
          resource: 'coupon',
          detail: 'element 2',
        },
      ],
    ]);
    expect((await list('', 'nobody')).text).toBe(NO_USER);
  });

  it('2.6.2, D10: with a pool each unit takes one code, and without a code there is no unit', async () => {
    await service.newDeal('coded', { stock: null, redemption_code_pool: ['A1', 'B2', 'C3'] });
    await service.operate('PUT', '/deals/coded', { redemption_code_pool: 'C3,CODE-D4' });
    const left = async (): Promise<number> => (await service.look('/deals/coded', acme.key)).body.deal.num_left;
    expect(await left()).toBe(4);
    const held = await reserve(service, acme.key, 'coded', 3);
    const tooMany = await service.ask('POST', '/purchases/reserve', {
      key: acme.key,
      body: { deal_id: 'coded', num_bought: 2 },
    });
    expect([tooMany.status, tooMany.text]).toEqual([
      422,
      '{"status":"error","error_type":"cannot_fufill","error_msg":"not enough units are left: 1 available"}',
    ]);
    const one = await bought('coded', 1);
    const three = (await claim(service, acme.key, held.id, ann)).coupons;
    expect([...one, ...three].map(({ redemption_code }: Json) => redemption_code).toSorted()).toEqual([
      'A1',
      'B2',
      'C3',
      'CODE-D4',
    ]);
    expect(await left()).toBe(0);
    expect((await service.ask('GET', `/purchases/${held.id}`, { key: acme.key })).body.purchase.coupons).toEqual(three);
    expect(service.printed).not.toContain('CODE-D4');
  });

  it('D10: a sale of many units has exactly that many coupons, all different', async () => {
    const coupons = await bought('lunch', 150);
    expect(new Set(coupons.map(({ id }) => id)).size).toBe(150);
    expect(new Set(coupons.map(({ barcode }) => barcode)).size).toBe(150);
  });
});
