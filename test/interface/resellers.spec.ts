import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { at, timeOf } from '../support/buying.js';
import { eventsOf } from '../support/data-folder.js';
import { itOnEmbedded } from '../support/on-embedded.js';
import { validationFailed } from '../support/refusals.js';
import {
  RunningService,
  type Answer,
  type AskOptions,
  type Json,
  type TestPartner,
} from '../support/running-service.js';
import { expectCertified } from '../support/certified.js';
import { expectSoundLog } from '../support/sound-log.js';

const PURCHASES = '/api/v3/resellers/purchases';
const PURCHASE_KEYS = [
  'id',
  'transaction_reference',
  'amount',
  'number_bought',
  'fulfillment_state',
  'created_at',
  'deal',
  'coupons',
];
const COUPON_KEYS = [
  'id',
  'slug',
  'deal_id',
  'deal_type',
  'barcode',
  'expires_at',
  'created_at',
  'qr_code_url',
  'qr_code',
  'state',
  'redemption_code',
  'redeemed_at',
];
const READABLE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d UTC \d{4}$/;
const ADDRESS = {
  address_type: 'home',
  address1: '1 Main St',
  address2: 'Floor 2',
  postal_code: '02114',
  city: 'Boston',
  state: 'ma',
  country: 'us',
  telephone: '6175550100',
};

const missing = (field: string): object => ({
  type: 'missing_field',
  message: `${field} is required`,
  field,
  resource: field in ADDRESS ? 'shipping_address' : 'purchase',
});
const USED = validationFailed({
  type: 'invalid',
  message: 'has already been used',
  field: 'transaction_reference',
  resource: 'purchase',
}).slice(0, -3);
const refusedWith = (error_msg: string): string =>
  JSON.stringify({ status: 'error', error_type: 'cannot_fulfill', error_msg });
const notCancelled = (...coupons: string[]): string =>
  JSON.stringify({ status: 'error', message: 'Validation failed', code: '422', errors: { coupons } });
const STATE = 'in a non refundable state';
const OTHER = 'coupons cannot already be part of another refund';
const MORE = 'you can not refund more coupons than were bought';

describe('resellers', () => {
  let service: RunningService;
  let acme: TestPartner;
  let basic: string;
  let rival: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    const other = await service.newPartner('rival');
    const password = async (id: string): Promise<string> =>
      (await service.operate('POST', `/partners/${id}/password`)).password;
    basic = `acme:${await password(acme.id)}`;
    rival = `rival:${await password(other.id)}`;
    await service.newDeal('lunch');
    await service.newDeal('crate', { fulfillment_method: 'shipped' });
    await service.newDeal('offer', { type: 'card-linked', current_price: null, value: null, stock: null });
  });
  afterAll(() => service.discard());

  let references = 0;
  const saleOf = (deal_id: string, more: Json = {}): Json => ({
    deal_id,
    quantity: 1,
    transaction_reference: `order-${(references += 1)}`,
    transaction_date: '2027-01-31T12:00:00Z',
    transaction_amount: 900,
    first_name: 'Graziella',
    last_name: 'Hopperton',
    ...more,
  });
  const linkedOf = (more: Json = {}): Json => {
    const { transaction_reference, transaction_date } = saleOf('offer');
    return { deal_id: 'offer', transaction_reference, transaction_date, transaction_amount: 2500, ...more };
  };
  const resell = (body: Json, options: AskOptions = { basic }): Promise<Answer> =>
    service.ask('POST', PURCHASES, { ...options, body });
  const sold = async (body: Json): Promise<Json> => {
    const answer = await resell(body);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"transaction_reference"')]);
    return answer.body;
  };
  const coupon = (id: string, as = basic): Promise<Answer> =>
    service.ask('GET', `/api/v3/coupons/${id}`, { basic: as });
  const cancel = (id: string, as = basic, headers: Record<string, string> = {}): Promise<Answer> =>
    service.ask('DELETE', `/api/v3/coupons/${id}/cancel`, { basic: as, headers });
  const left = async (slug: string): Promise<number> =>
    (await service.look(`/deals/${slug}`, acme.key)).body.deal.num_left;
  const shown = async (id: string): Promise<Json> => (await service.look(`/purchases/${id}`, acme.key)).body.purchase;

  describe('4.6.2: the purchase of', () => {
    it('2.5.8 2.6.6 4.6.2.1 2.5 2.6 B6 B7 B8: a prepaid deal is a bare object, whose coupons have no page to print', async () => {
      const before = await left('lunch');
      const sale = saleOf('lunch', { quantity: 2 });
      const body = await sold(sale);
      expect(Object.keys(body)).toEqual(PURCHASE_KEYS);
      expect(body).toMatchObject({
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        transaction_reference: sale.transaction_reference,
        amount: 900,
        number_bought: 2,
        fulfillment_state: 'fulfilled',
        created_at: expect.stringMatching(READABLE),
      });
      expect(Object.entries(body.deal)).toEqual([
        ['id', 'lunch'],
        ['title', 'Deal lunch'],
        ['image_url_abs', expect.stringContaining('/images/deal.jpg')],
      ]);
      expect(body.coupons).toHaveLength(2);
      for (const each of body.coupons) {
        expect(Object.keys(each as object)).toEqual(COUPON_KEYS);
        expect(each).toMatchObject({ deal_id: 'lunch', deal_type: 'daily-deal', state: 'valid', redeemed_at: null });
      }
      expect(await left('lunch')).toBe(before - 2);
    });

    it('B6: shows in GET /purchases with the price of the deal, the amount of the transaction and no user', async () => {
      const { id } = await sold(saleOf('lunch', { quantity: 2 }));
      expect(await shown(id)).toMatchObject({
        deal_type: 'daily-deal',
        price: 1000,
        amount: 900,
        number_bought: 2,
        payment_state: 'charged',
        fulfillment_state: 'fulfilled',
        user_id: null,
        credit_card_id: null,
        coupons: [{ state: 'valid' }, { state: 'valid' }],
      });
    });

    it('4.6.2.1: an on-going deal is the same; a .json suffix and parameters in the query do as well', async () => {
      const now = await timeOf(service);
      await service.newDeal('yoga', { start_at: at(now - 1_000), end_at: at(now + 30 * 86_400_000) });
      const { coupons } = await sold(saleOf('yoga'));
      expect(coupons[0].deal_type).toBe('on-going');
      const query = new URLSearchParams(saleOf('yoga') as Record<string, string>).toString();
      const answer = await service.ask('POST', `${PURCHASES}.json?${query}`, { basic });
      expect([answer.status, Object.keys(answer.body as object)]).toEqual([200, PURCHASE_KEYS]);
    });

    it('4.6.2.2: a shipped deal needs the whole address', async () => {
      expect(await sold(saleOf('crate', ADDRESS))).toMatchObject({ number_bought: 1, deal: { id: 'crate' } });
    });

    it('4.6.2.3 D11 C2: a card-linked deal has one coupon and takes no stock', async () => {
      const body = await sold(linkedOf());
      expect(body).toMatchObject({ amount: 2500, number_bought: 1, coupons: [{ deal_type: 'card-linked' }] });
      await service.newDeal('few', { type: 'card-linked', current_price: null, value: null, stock: 1 });
      await sold(linkedOf({ deal_id: 'few' }));
      await sold(linkedOf({ deal_id: 'few' }));
      const more = await resell(linkedOf({ quantity: 2 }));
      expect([more.status, more.text]).toEqual([
        422,
        validationFailed({
          type: 'invalid',
          message: 'must be 1 for a card-linked deal',
          field: 'quantity',
          resource: 'purchase',
        }),
      ]);
    });

    it('4.6.2.4: uses all fields: an address and a name count although the deal does not ask for them', async () => {
      expect((await resell(saleOf('lunch', { ...ADDRESS, country: 'USA' }))).text).toBe(
        validationFailed({
          type: 'invalid',
          message: 'must be two letters',
          field: 'country',
          resource: 'shipping_address',
        }),
      );
      await sold(linkedOf({ ...ADDRESS, first_name: 'Ida', quantity: '1' }));
    });
  });

  describe('4.6.2 D11: a missing field', () => {
    const PREPAID = [
      'quantity',
      'transaction_reference',
      'transaction_date',
      'transaction_amount',
      'first_name',
      'last_name',
    ];
    const lines: (readonly [kind: string, field: string, body: () => Json])[] = [
      ...PREPAID.map((field) => ['a prepaid deal', field, () => saleOf('lunch')] as const),
      ...[...PREPAID, ...Object.keys(ADDRESS)].map(
        (field) => ['a shipped deal', field, () => saleOf('crate', ADDRESS)] as const,
      ),
      ...PREPAID.slice(1, 4).map((field) => ['a card-linked deal', field, () => linkedOf()] as const),
    ];

    it.each(lines)('4.6.2.1, 4.6.2.2, 4.6.2.3: of %s is named: %s', async (_, field, body) => {
      for (const absent of [undefined, '']) {
        const answer = await resell({ ...body(), [field]: absent });
        expect([answer.status, answer.text]).toEqual([422, validationFailed(missing(field))]);
      }
    });

    it('is named with all other faults, in the order of the interface', async () => {
      const answer = await resell({
        deal_id: 'crate',
        quantity: 'x',
        transaction_amount: 1.5,
        country: 'USA',
        city: ' ',
      });
      expect([answer.status, answer.text]).toEqual([
        422,
        validationFailed(
          { type: 'invalid', message: 'must be an integer', field: 'quantity', resource: 'purchase' },
          missing('transaction_reference'),
          missing('transaction_date'),
          {
            type: 'invalid',
            message: 'must be an integer in cents, such as 2500',
            field: 'transaction_amount',
            resource: 'purchase',
          },
          missing('first_name'),
          missing('last_name'),
          missing('address_type'),
          missing('address1'),
          missing('address2'),
          missing('postal_code'),
          missing('city'),
          missing('state'),
          { type: 'invalid', message: 'must be two letters', field: 'country', resource: 'shipping_address' },
          missing('telephone'),
        ),
      ]);
      const nothing = await resell({});
      expect(nothing.text).toBe(validationFailed(...['deal_id', ...PREPAID.slice(1, 4)].map(missing)));
    });

    it('A8: an unknown deal is an entry of its own', async () => {
      const { status, body } = await resell(saleOf('no-such-deal'));
      expect([status, body.error_type]).toEqual([422, 'validation_failed']);
      expect(body.errors).toMatchObject([{ type: 'not_found', message: 'deal not found', resource: 'deal' }]);
      const dated = await resell(saleOf('lunch', { transaction_date: 'yesterday' }));
      expect(dated.body.errors).toMatchObject([{ type: 'invalid', field: 'transaction_date', resource: 'purchase' }]);
    });
  });

  describe('D11: a deal that cannot be sold is refused as cannot_fulfill:', () => {
    it.each<readonly [string, Json, Json, string]>([
      ['sold out', { stock: 0 }, {}, 'not enough units are left: none available'],
      ['too few units', { stock: 2 }, { quantity: 3 }, 'not enough units are left: 2 available'],
      ['max_per_user', { max_per_user: 2 }, { quantity: 3 }, 'one buyer may buy at most 2 units'],
      ['no unit at all', {}, { quantity: 0 }, 'at least one unit must be bought'],
      ['more than a thousand', { stock: null }, { quantity: 1001 }, 'one buyer may buy at most 1000 units'],
      [
        'affiliate',
        { type: 'affiliate', current_price: null, value: null },
        {},
        'the deal does not sell: it is an affiliate deal, which is free to claim',
      ],
    ])('%s', async (name, attributes, more, message) => {
      const slug = name.replaceAll(' ', '-').toLowerCase().replaceAll('_', '-');
      await service.newDeal(slug, attributes as Record<string, unknown>);
      const answer = await resell(saleOf(slug, more));
      expect([answer.status, answer.text]).toEqual([422, refusedWith(message)]);
    });

    it.each(['daily-deal', 'card-linked'])('a paused deal (%s)', async (type) => {
      const slug = `paused-${type}`;
      await service.newDeal(slug, type === 'daily-deal' ? {} : { type, current_price: null, value: null });
      await service.operate('POST', `/deals/${slug}/transitions`, { to: 'paused' });
      const answer = await resell(type === 'daily-deal' ? saleOf(slug) : linkedOf({ deal_id: slug }));
      expect([answer.status, answer.text]).toEqual([422, refusedWith('the deal does not sell: it is paused')]);
    });

    it('a refused transaction may be tried again', async () => {
      await service.newDeal('again', { stock: 0 });
      const sale = saleOf('again');
      expect((await resell(sale)).status).toBe(422);
      await service.operate('PUT', '/deals/again/stock', { units: 1 });
      expect((await resell(sale)).status).toBe(200);
    });
  });

  describe('D11: a transaction_reference', () => {
    it('with the same content gives the same answer, and with other content is refused', async () => {
      await service.newDeal('once', { stock: 1 });
      const sale = saleOf('once');
      const first = await resell(sale);
      const spelt = {
        ...sale,
        quantity: '1',
        transaction_amount: '900',
        transaction_date: '2027-01-31T13:00:00+01:00',
      };
      for (const again of [sale, spelt]) expect((await resell(again)).text).toBe(first.text);
      await service.operate('POST', '/deals/once/transitions', { to: 'cancelled', reason: 'over' });
      expect((await resell(sale)).text).toBe(first.text);
      for (const changed of [
        { last_name: 'Lovelace' },
        { quantity: 2 },
        { transaction_amount: 1 },
        { deal_id: 'lunch' },
      ]) {
        const answer = await resell({ ...sale, ...changed });
        expect([answer.status, answer.text.startsWith(USED)]).toEqual([422, true]);
      }
    });

    it('A5: belongs to its partner', async () => {
      const sale = saleOf('lunch');
      const mine = await sold(sale);
      const theirs = await resell(sale, { basic: rival });
      expect([theirs.status, theirs.body.id === mine.id]).toEqual([200, false]);
    });

    it('sent 32 times at once is sold once', async () => {
      await service.newDeal('rush', { stock: 5 });
      const sale = saleOf('rush', { quantity: 5 });
      const answers = await Promise.all(Array.from({ length: 32 }, () => resell(sale)));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect([answers[0]?.status, await left('rush')]).toEqual([200, 0]);
      const other = await Promise.all(Array.from({ length: 8 }, (_, n) => resell({ ...sale, transaction_amount: n })));
      expect(other.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 422));
    });
  });

  it('D1: 64 resellers of 5 units sell exactly 5', async () => {
    for (let round = 0; round < 5; round += 1) {
      const slug = `five-${round}`;
      await service.newDeal(slug, { stock: 5 });
      const answers = await Promise.all(Array.from({ length: 64 }, () => resell(saleOf(slug))));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
      expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.error_type))).toEqual(
        new Set(['cannot_fulfill']),
      );
      expect(await left(slug)).toBe(0);
    }
  });

  it('D10: each unit takes a code of the pool, and without a code left there is no unit', async () => {
    await service.newDeal('coded', { redemption_code_pool: ['A-1', 'A-2', 'A-3'] });
    const { coupons } = await sold(saleOf('coded', { quantity: 2 }));
    expect(coupons.map(({ redemption_code }: Json) => redemption_code)).toEqual(['A-1', 'A-2']);
    expect((await resell(saleOf('coded', { quantity: 2 }))).text).toBe(
      refusedWith('not enough units are left: 1 available'),
    );
  });

  describe('4.7: a coupon', () => {
    it('4.7.1 2.6 B7 B8: shows as in the purchase, without an envelope', async () => {
      const { coupons } = await sold(saleOf('lunch'));
      const answer = await coupon(coupons[0].id);
      expect([answer.status, answer.text]).toEqual([200, JSON.stringify({ coupon: coupons[0] })]);
      expect(Object.keys(answer.body.coupon as object)).toEqual(COUPON_KEYS);
    });

    it('4.8: is redeemed like every coupon of its partner, and expires by the clock', async () => {
      const end = at((await timeOf(service)) + 60_000);
      await service.newDeal('soon', { end_at: end, expires_at: end });
      const [one, two] = (await sold(saleOf('soon', { quantity: 2 }))).coupons;
      const redeemed = await service.ask('PUT', `/coupons/${one.id}/redeem`, { key: acme.key });
      expect([redeemed.status, redeemed.body.coupon.state]).toEqual([200, 'redeemed']);
      expect((await coupon(one.id)).body.coupon).toMatchObject({
        state: 'redeemed',
        redeemed_at: expect.stringMatching(READABLE),
      });
      await service.forward(61);
      expect((await coupon(two.id)).body.coupon.state).toBe('expired');
      expect((await cancel(two.id)).text).toBe(notCancelled(STATE));
    });

    it('7.3.1 7.3.2 7.3 A5 A8: that is unknown, another partner’s or a user’s is not found', async () => {
      const [resold] = (await sold(saleOf('lunch'))).coupons;
      const user_id = await service.newUser(acme.key, 'ann@example.org');
      const held = await service.ask('POST', '/purchases/reserve', {
        key: acme.key,
        body: { deal_id: 'lunch', num_bought: 1 },
      });
      const claimed = await service.ask('PUT', `/purchases/${held.body.purchase.id}/claim`, {
        key: acme.key,
        body: { user_id },
      });
      const [ofUser] = claimed.body.purchase.coupons;
      for (const [id, as] of [
        ['0'.repeat(32), basic],
        [ofUser.id, basic],
        [resold.id, rival],
      ] as const) {
        const seen = await coupon(id, as);
        expect([seen.status, seen.body]).toEqual([
          404,
          {
            status: 'error',
            error_type: 'find_failed',
            error_msg: 'Failed. not found.',
            detail: 'you have resold no coupon with this id or barcode',
          },
        ]);
        const refused = await cancel(id, as);
        expect([refused.status, refused.text]).toEqual([
          404,
          '{"status":"error","message":"Failed. not found.","type":"find_failed"}',
        ]);
      }
      expect((await coupon(resold.id)).body.coupon.state).toBe('valid');
    });
  });

  it('I8, 4.7: a reseller names a coupon by its id in any case and by its barcode', async () => {
    const [one, two] = (await sold(saleOf('lunch', { quantity: 2 }))).coupons;
    for (const named of [one.id.toUpperCase(), one.barcode]) {
      expect((await coupon(named)).body.coupon).toEqual(one);
      expect((await coupon(named, rival)).status).toBe(404);
    }
    for (const [named, { id }] of [
      [one.barcode, one],
      [two.id.toUpperCase(), two],
    ] as const) {
      expect((await cancel(named, rival)).status).toBe(404);
      expect((await cancel(named)).text).toBe('{"status":"success"}');
      expect((await coupon(id)).body.coupon.state).toBe('cancelled');
    }
  });

  describe('7.3 D12: the cancellation of a coupon', () => {
    it('4.7.2, 3.4.2, 7.3.6: frees its unit; with the last one the purchase is refunded', async () => {
      await service.newDeal('back', { stock: 3 });
      const sale = saleOf('back', { quantity: 2 });
      const { id, coupons } = await sold(sale);
      const [first, second] = coupons;
      const done = await cancel(first.id);
      expect([done.status, done.text]).toEqual([200, '{"status":"success"}']);
      expect([(await coupon(first.id)).body.coupon.state, await left('back')]).toEqual(['cancelled', 2]);
      expect(await shown(id)).toMatchObject({ payment_state: 'charged', fulfillment_state: 'fulfilled' });
      expect((await cancel(first.id)).text).toBe(notCancelled(STATE, OTHER));
      expect((await cancel(second.id)).status).toBe(200);
      expect(await shown(id)).toMatchObject({ payment_state: 'refunded', fulfillment_state: 'cancelled' });
      expect(await left('back')).toBe(3);
      const again = await cancel(second.id);
      expect([again.status, again.text]).toEqual([422, notCancelled(STATE, OTHER, MORE)]);
      // The same content again is the same purchase, as it is now.
      expect(await sold(sale)).toMatchObject({ id, fulfillment_state: 'cancelled' });
    });

    it('7.3.3, 7.3.4, 7.3.5, 7.3.6: is refused with every reason that applies, in their order', async () => {
      await service.newDeal('final', { refundable: false });
      const [one] = (await sold(saleOf('final'))).coupons;
      const barcode = `barcode ${one.barcode} is non refundable`;
      const refused = await cancel(one.id);
      expect([refused.status, refused.text]).toEqual([422, notCancelled(barcode)]);
      await service.operate('POST', `/coupons/${one.id}/cancel`, { reason: 'it closed' });
      expect((await cancel(one.id)).text).toBe(notCancelled(barcode, STATE, OTHER, MORE));
      const [two] = (await sold(saleOf('lunch'))).coupons;
      await service.ask('PUT', `/coupons/${two.id}/redeem`, { key: acme.key });
      expect((await cancel(two.id)).text).toBe(notCancelled(STATE));
    });

    it('succeeds for one of many callers', async () => {
      await service.newDeal('many', { stock: 1 });
      const [one] = (await sold(saleOf('many'))).coupons;
      const answers = await Promise.all(Array.from({ length: 32 }, () => cancel(one.id)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const others = answers.filter(({ status }) => status !== 200).map(({ text }) => text);
      expect(new Set(others)).toEqual(new Set([notCancelled(STATE, OTHER, MORE)]));
      expect(await left('many')).toBe(1);
    });

    it('A11: a repeat under its Idempotency-Key has the first answer, a refusal as well', async () => {
      const [one] = (await sold(saleOf('lunch'))).coupons;
      for (const key of ['cancel-1', 'cancel-2']) {
        const headers = { 'idempotency-key': `${key}-${one.id}` };
        const first = await cancel(one.id, basic, headers);
        const again = await cancel(one.id, basic, headers);
        expect([again.status, again.text]).toEqual([first.status, first.text]);
      }
    });

    it('D11: of a card-linked deal changes no stock', async () => {
      await service.newDeal('linked', { type: 'card-linked', current_price: null, value: null, stock: 4 });
      const { id, coupons } = await sold(linkedOf({ deal_id: 'linked' }));
      expect((await cancel(coupons[0].id)).status).toBe(200);
      expect(await left('linked')).toBe(4);
      expect((await shown(id)).fulfillment_state).toBe('cancelled');
    });
  });

  describe('D14 G5: operators', () => {
    it('refund a purchase, reissue and cancel coupons, and void nothing', async () => {
      await service.newDeal('undo', { stock: 4 });
      const { id, coupons } = await sold(saleOf('undo', { quantity: 3 }));
      const { coupon: renewed } = await service.operate('POST', `/coupons/${coupons[0].id}/reissue`, {
        reason: 'lost',
      });
      expect((await coupon(renewed.id)).body.coupon.state).toBe('valid');
      expect((await cancel(coupons[0].id)).text).toBe(notCancelled(STATE));
      await service.operate('POST', `/coupons/${coupons[1].id}/cancel`, { reason: 'it closed' });
      const token = service.operatorToken;
      const voided = await service.ask('POST', `/operators/purchases/${id}/void`, { token, body: { reason: 'no' } });
      expect([voided.status, voided.body.error_msg]).toEqual([422, 'the purchase is paid: refund it']);
      const { purchase } = await service.operate('POST', `/purchases/${id}/refund`, { reason: 'it closed' });
      expect([purchase.payment_state, purchase.fulfillment_state, await left('undo')]).toEqual([
        'refunded',
        'cancelled',
        4,
      ]);
    });
  });

  // Where followers are appended one by one, a lost answer changes their order.
  itOnEmbedded('G7: an auditor sees the history, with the units of the deal and no name of the buyer', async () => {
    await service.newDeal('audit', { stock: 5 });
    const { id, coupons } = await sold(saleOf('audit', { quantity: 2, ...ADDRESS }));
    await cancel(coupons[0].id);
    const answer = await service.ask('GET', `/auditors/purchases/${id}/history`, { token: service.auditorToken });
    const units = (stock: Json): string => (stock === null ? '' : `${stock.held}+${stock.sold}/${stock.stock}`);
    expect(
      answer.body.events.map(({ type, actor, state }: Json) =>
        [type, actor, `${state.payment_state}/${state.fulfillment_state}`, units(state.stock)].join(' '),
      ),
    ).toEqual([
      'resale-started.v1 partner:acme null/null 2+0/5',
      'purchase-resold.v1 partner:acme charged/fulfilled 2+0/5',
      'resale-sold.v1 partner:acme charged/fulfilled 0+2/5',
      'coupon-issued.v1 partner:acme charged/fulfilled 0+2/5',
      'coupon-issued.v1 partner:acme charged/fulfilled 0+2/5',
      'coupon-cancelled.v1 partner:acme charged/fulfilled 0+2/5',
      'unit-returned.v1 partner:acme charged/fulfilled 0+1/5',
      'purchase-coupon-cancelled.v1 partner:acme charged/fulfilled 0+1/5',
    ]);
    for (const word of ['Graziella', 'Hopperton', '1 Main St', '6175550100']) expect(answer.text).not.toContain(word);
  });

  itOnEmbedded('the log is sound, and neither it nor the service’s output has a word about a buyer', async () => {
    await service.stop();
    const events = await eventsOf(service.dataDir);
    expectSoundLog(events);
    await expectCertified(events);
    const resold = events.filter(({ type }) => type === 'purchase-resold.v1');
    expect(resold.length).toBeGreaterThan(20);
    const everything = JSON.stringify(events.map(({ data }) => data)) + service.printed;
    for (const word of ['Graziella', 'Hopperton', '1 Main St', '6175550100']) expect(everything).not.toContain(word);
  });
});
