import { join } from 'node:path';
import { itOnEmbedded } from '../support/on-embedded.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readLedger, type LedgerLine } from '#adapters/sandbox-gateway';
import { at, buy, timeOf } from '../support/buying.js';
import { LOST_ANSWER_CARD, SILENT_CARD, storeCard } from '../support/cards.js';
import { unableToFind } from '../support/refusals.js';
import { RunningSandbox } from '../support/running-sandbox.js';
import {
  discardLeftovers,
  RunningService,
  type Answer,
  type Json,
  type TestPartner,
} from '../support/running-service.js';
import { workDone } from '../support/work-done.js';

const TAKEOVER = 16;
const refused = (error_msg: string): string =>
  `{"status":"error","error_type":"update_failed","error_msg":"${error_msg}"}`;
const NO_COUPON =
  '{"status":"error","error_type":"find_failed","error_msg":"Failed. not found.","detail":"no coupon has this id"}';

describe('D14 G5: a correction by an operator', () => {
  let service: RunningService;
  let acme: TestPartner;
  let ann: string;
  let card: string;

  beforeAll(async () => {
    service = await RunningService.start({ env: { GATEWAY_TIMEOUT: '2500' } });
    acme = await service.newPartner('acme');
    ann = await service.newUser(acme.key, 'ann@example.org');
    card = await storeCard(service, acme.key, ann);
  });
  afterAll(() => service.discard());

  /** A deal of ten units, and a purchase of some of them with a stored card. */
  async function bought(slug: string, quantity: number, credit_card_id = card): Promise<Json> {
    const end = at((await timeOf(service)) + 86_400_000);
    await service.newDeal(slug, { stock: 10, end_at: end, expires_at: end });
    const body = { deal_id: slug, quantity, user_id: ann, credit_card_id, expected_price_per_unit: 1000 };
    const answer = await service.ask('POST', '/purchases', { key: acme.key, body });
    return show(answer.body.purchase.id);
  }
  const show = async (id: string): Promise<Json> => (await service.look(`/purchases/${id}`, acme.key)).body.purchase;
  const left = async (slug: string): Promise<number> =>
    (await service.look(`/deals/${slug}`, acme.key)).body.deal.num_left;
  const states = ({ payment_state, fulfillment_state, coupons }: Json): string =>
    [payment_state, fulfillment_state, ...coupons.map(({ state }: Json) => state)].join(' ');
  const ask = (
    path: string,
    body: Json = { reason: 'the spa has closed' },
    token = service.operatorToken,
  ): Promise<Answer> => service.ask('POST', `/operators${path}`, { token, body });
  const correct = async (path: string, body?: Json): Promise<Json> => {
    const answer = await ask(path, body);
    expect([path, answer.status, answer.text]).toEqual([path, 200, answer.text]);
    return answer.body;
  };
  const ledgerOf = (id: string): LedgerLine[] =>
    readLedger(join(service.dataDir, 'sandbox-gateway.jsonl')).filter((line) =>
      line.kind === 'refund' ? line.charge === id : line.key === id,
    );
  /** Cents that the gateway has taken and not given back. */
  const kept = (id: string): number =>
    ledgerOf(id).reduce((sum, { kind, outcome, amount }) => {
      if (kind === 'charge') return sum + (outcome === 'approved' ? amount : 0);
      return sum - amount;
    }, 0);
  const historyOf = async (id: string): Promise<Json> =>
    (await service.ask('GET', `/auditors/purchases/${id}/history`, { token: service.auditorToken })).body;
  const history = async (id: string): Promise<string[]> =>
    (await historyOf(id)).events.map(({ type, actor, data, state }: Json) =>
      [type, actor, data.reason ?? '', `${state.payment_state}/${state.fulfillment_state}`].join(' '),
    );
  /** Who owes the money of each cancelled coupon, and how many cents, in the history. */
  const owedIn = async (id: string): Promise<unknown[]> =>
    (await historyOf(id)).events
      .filter(({ data }: Json) => data.refund_by !== undefined)
      .map(({ data }: Json) => [data.refund_by, data.refund]);

  it('3.4.2, 2.6.4: cancels a coupon in any state, and returns its unit and its price', async () => {
    const purchase = await bought('cancel', 2);
    const [first, second] = purchase.coupons;
    await service.ask('PUT', `/coupons/${first.id}/redeem`, { key: acme.key });
    const { coupon } = await correct(`/coupons/${first.id}/cancel`);
    expect(coupon).toMatchObject({ id: first.id, state: 'cancelled' });
    expect([states(await show(purchase.id)), await left('cancel'), kept(purchase.id)]).toEqual([
      'charged fulfilled cancelled valid',
      9,
      1000,
    ]);
    await correct(`/coupons/${second.id}/cancel`);
    expect([states(await show(purchase.id)), await left('cancel'), kept(purchase.id)]).toEqual([
      'refunded cancelled cancelled cancelled',
      10,
      0,
    ]);
    expect(ledgerOf(purchase.id).map(({ kind }) => kind)).toEqual(['charge', 'refund', 'refund']);
    expect((await service.ask('PUT', `/coupons/${second.id}/redeem`, { key: acme.key })).body).toEqual({
      status: 'error',
      error_type: 'redeem_failed',
      error_msg: 'the coupon is cancelled',
      detail: 'its unit was given back',
    });
  });

  it('3.4.4, 2.6.4: reissues a coupon: the old one reads reissued, and the new one is as good as the old one was', async () => {
    const purchase = await bought('reissue', 1);
    const [old] = purchase.coupons;
    const { coupon } = (await ask(`/coupons/${old.id}/reissue`, { reason: 'lost' })).body;
    expect(coupon).toMatchObject({ state: 'valid', deal_id: 'reissue', expires_at: old.expires_at, redeemed_at: null });
    expect([coupon.id === old.id, coupon.barcode === old.barcode]).toEqual([false, false]);
    const shown = await show(purchase.id);
    expect(states(shown)).toBe('charged fulfilled reissued valid');
    expect(shown.coupons[1]).toEqual({ ...coupon, print_url: expect.stringContaining(`/coupons/${coupon.id}/`) });
    expect((await service.ask('PUT', `/coupons/${old.id}/redeem`, { key: acme.key })).status).toBe(422);
    expect((await service.ask('PUT', `/coupons/${coupon.id}/redeem`, { key: acme.key })).status).toBe(200);
    const again = await ask(`/coupons/${old.id}/reissue`);
    expect([again.status, again.text]).toEqual([422, refused(`the coupon was issued again as ${coupon.id}`)]);
    expect((await ask(`/coupons/${old.id}/cancel`)).text).toBe(again.text);
    // Cancelling the new coupon cancels the unit.
    await correct(`/coupons/${coupon.id}/cancel`);
    expect([states(await show(purchase.id)), await left('reissue'), kept(purchase.id)]).toEqual([
      'refunded cancelled reissued cancelled',
      10,
      0,
    ]);
    expect((await ask(`/coupons/${coupon.id}/reissue`)).text).toBe(
      refused('the coupon is cancelled: its unit is in stock again'),
    );
  });

  const MISTAKE = { reason: 'the wrong one was scanned', redeemed_by_mistake: true };
  const redeem = (id: string): Promise<Answer> => service.ask('PUT', `/coupons/${id}/redeem`, { key: acme.key });
  const redemptions = async (): Promise<number> =>
    (await service.look(`/users/${ann}/coupons?filter=redeemed&count=true`, acme.key)).body.count;

  it('I3: does not reissue a redeemed coupon, which one would use again and again', async () => {
    const purchase = await bought('used', 1);
    const [{ id }] = purchase.coupons;
    expect((await redeem(id)).status).toBe(200);
    for (const body of [
      { reason: 'lost' },
      { reason: 'lost', terms: 'current' },
      { ...MISTAKE, redeemed_by_mistake: false },
    ]) {
      const answer = await ask(`/coupons/${id}/reissue`, body);
      expect([answer.status, answer.text]).toEqual([
        422,
        refused('the coupon is redeemed: if that was a mistake, send redeemed_by_mistake'),
      ]);
    }
    expect(states(await show(purchase.id))).toBe('charged fulfilled redeemed');
  });

  it('I3: reissues a coupon that was redeemed by mistake: the old one counts as not redeemed, and the history says why', async () => {
    const purchase = await bought('mistaken', 1);
    const [old] = purchase.coupons;
    const before = await redemptions();
    const early = await ask(`/coupons/${old.id}/reissue`, MISTAKE);
    expect([early.status, early.text]).toEqual([
      422,
      refused('the coupon is not redeemed: leave redeemed_by_mistake out'),
    ]);
    await redeem(old.id);
    expect(await redemptions()).toBe(before + 1);
    const { coupon } = (await ask(`/coupons/${old.id}/reissue`, MISTAKE)).body;
    expect(coupon).toMatchObject({ state: 'valid', redeemed_at: null });
    const shown = await show(purchase.id);
    expect(shown.coupons).toMatchObject([{ id: old.id, state: 'reissued', redeemed_at: null }, { id: coupon.id }]);
    expect([await redemptions(), await left('mistaken')]).toEqual([before, 9]);
    expect([(await redeem(old.id)).status, (await redeem(coupon.id)).status]).toEqual([422, 200]);
    expect(await redemptions()).toBe(before + 1);
    const { events } = await historyOf(purchase.id);
    expect(events.filter(({ type }: Json) => /^coupon-(redeemed|reissued)/.test(type))).toMatchObject([
      { data: { coupon_id: old.id } },
      { actor: 'operator:operator', data: { coupon_id: old.id, redeemed_by_mistake: true, reason: MISTAKE.reason } },
      { data: { coupon_id: coupon.id } },
    ]);
  });

  it('I15: says that our gateway gives the money back that it took, and how much', async () => {
    const purchase = await bought('by-gateway', 3);
    const [{ id }] = purchase.coupons;
    const refund = { refund_by: 'gateway', amount: 1000 };
    for (let asked = 0; asked < 2; asked += 1) expect(await correct(`/coupons/${id}/cancel`)).toMatchObject(refund);
    expect(await correct(`/purchases/${purchase.id}/refund`)).toMatchObject({ refund_by: 'gateway', amount: 3000 });
    expect(kept(purchase.id)).toBe(0);
    expect(await owedIn(purchase.id)).toEqual(Array(3).fill(['gateway', 1000]));
  });

  it('I15: says that the partner owes the money of a claim, and how much', async () => {
    await service.newDeal('by-partner', { stock: 5 });
    const { id, coupons } = await buy(service, acme.key, 'by-partner', ann, 2);
    const cancelled = await correct(`/coupons/${coupons[1].id}/cancel`);
    expect(Object.keys(cancelled)).toEqual(['status', 'coupon', 'refund_by', 'amount']);
    expect(cancelled).toMatchObject({ refund_by: 'partner', amount: 1000 });
    const refunded = await correct(`/purchases/${id}/refund`);
    expect(Object.keys(refunded)).toEqual(['status', 'purchase', 'refund_by', 'amount']);
    expect(refunded).toMatchObject({ refund_by: 'partner', amount: 2000 });
    expect(await owedIn(id)).toEqual(Array(2).fill(['partner', 1000]));
    expect(ledgerOf(id)).toEqual([]);
  });

  it('I15: says that the reseller owes what a coupon cost of their transaction; the last one gets the rest', async () => {
    await service.newDeal('by-reseller', { stock: 5 });
    const { password } = await service.operate('POST', `/partners/${acme.id}/password`);
    const basic = `acme:${password}`;
    const sale = { deal_id: 'by-reseller', quantity: 3, transaction_reference: 'owed', transaction_amount: 1001 };
    const body = { ...sale, transaction_date: '2027-01-31T12:00:00Z', first_name: 'Grace', last_name: 'Hopper' };
    const sold = (await service.ask('POST', '/api/v3/resellers/purchases', { basic, body })).body;
    const [first, second] = sold.coupons;
    expect(await correct(`/coupons/${second.id}/cancel`)).toMatchObject({ refund_by: 'partner', amount: 333 });
    const given = await service.ask('DELETE', `/api/v3/coupons/${first.id}/cancel`, { basic });
    expect([given.status, given.text]).toEqual([200, '{"status":"success"}']);
    expect(await correct(`/purchases/${sold.id}/refund`)).toMatchObject({ refund_by: 'partner', amount: 1001 });
    expect(await owedIn(sold.id)).toEqual([
      ['partner', 333],
      ['partner', 333],
      ['partner', 335],
    ]);
  });

  it('reissues an expired coupon until a new time, which the request must give', async () => {
    const purchase = await bought('late', 1);
    const [old] = purchase.coupons;
    await service.forward(86_400);
    const without = await ask(`/coupons/${old.id}/reissue`);
    expect(without.body.errors).toEqual([
      {
        type: 'invalid',
        message: 'is past: send a later expires_at for the new coupon',
        field: 'expires_at',
        resource: 'coupon',
      },
    ]);
    const expires_at = at((await timeOf(service)) + 86_400_000);
    const { coupon } = (await ask(`/coupons/${old.id}/reissue`, { reason: 'late', expires_at })).body;
    expect(coupon.state).toBe('valid');
  });

  it('I7: reissues a coupon until a moment, which is the time of the deal’s region without an offset', async () => {
    const [coupon] = (await bought('until', 1)).coupons;
    const reissue = (id: string, expires_at: string): Promise<Answer> =>
      ask(`/coupons/${id}/reissue`, { reason: 'longer', expires_at });
    for (const [expires_at, message] of [
      ['2038-06-30', 'is a whole day: send a moment of it, such as 2038-06-30T23:59:59'],
      ['2038-03-14T02:30:00', 'is no time in America/New_York: clocks go forward over it'],
    ] as const) {
      const refusal = await reissue(coupon.id, expires_at);
      const entry = { type: 'invalid', message, field: 'expires_at', resource: 'coupon' };
      expect([refusal.status, refusal.body.errors]).toEqual([422, [entry]]);
    }
    const local = (await reissue(coupon.id, '2038-06-30T23:59:59')).body.coupon;
    expect(local.expires_at).toBe('Thu Jul 01 03:59:59 UTC 2038');
    const utc = (await reissue(local.id, '2038-12-31T23:59:59Z')).body.coupon;
    expect(utc.expires_at).toBe('Fri Dec 31 23:59:59 UTC 2038');
  });

  it('refunds everything left of a purchase, reissued coupons included, and no more than was paid', async () => {
    const purchase = await bought('refund', 3);
    const [first, second] = purchase.coupons;
    await ask(`/coupons/${first.id}/cancel`);
    await ask(`/coupons/${second.id}/reissue`);
    const { purchase: refunded } = await correct(`/purchases/${purchase.id}/refund`);
    expect(states(refunded)).toBe('refunded cancelled cancelled reissued cancelled cancelled');
    // The partner also sees the pages, which show their buyer's name.
    const seen = await show(purchase.id);
    const coupons = seen.coupons.map(({ print_url: _, ...coupon }: Json) => coupon);
    expect({ ...seen, coupons }).toEqual(refunded);
    expect([await left('refund'), kept(purchase.id)]).toEqual([10, 0]);
    expect(ledgerOf(purchase.id).filter(({ kind }) => kind === 'refund')).toHaveLength(3);
  });

  it('refunds a purchase that the partner was paid for without our gateway', async () => {
    await service.newDeal('claimed', { stock: 5 });
    const { id } = await buy(service, acme.key, 'claimed', ann, 2);
    const { purchase } = await correct(`/purchases/${id}/refund`);
    expect([states(purchase), await left('claimed'), ledgerOf(id)]).toEqual([
      'refunded cancelled cancelled cancelled',
      5,
      [],
    ]);
  });

  it('D1: lets buyers buy the returned units again, including those who had them', async () => {
    await service.newDeal('again', { stock: 1, max_per_user: 1 });
    const first = await buy(service, acme.key, 'again', ann);
    await correct(`/purchases/${first.id}/refund`);
    expect((await buy(service, acme.key, 'again', ann)).fulfillment_state).toBe('fulfilled');
  });

  it('refunds a purchase that was pending first, like any other', async () => {
    const pending = await bought('lost', 1, await storeCard(service, acme.key, ann, LOST_ANSWER_CARD));
    expect(states(pending)).toBe('pending pending');
    await service.forward(TAKEOVER);
    await workDone(service);
    await correct(`/purchases/${pending.id}/refund`);
    expect([states(await show(pending.id)), kept(pending.id)]).toEqual(['refunded cancelled cancelled', 0]);
  });

  it.each([
    ['that the gateway never took', SILENT_CARD, 'declined cancelled'],
    ['that the gateway took', LOST_ANSWER_CARD, 'refunded cancelled'],
  ])('gives a charge up: money %s stays with the buyer', async (_, number, expected) => {
    const slug = `void-${number}`;
    const pending = await bought(slug, 2, await storeCard(service, acme.key, ann, number));
    expect(states(pending)).toBe('pending pending');
    const { purchase } = await correct(`/purchases/${pending.id}/void`);
    expect(states(purchase)).toBe(expected);
    expect([await left(slug), kept(pending.id)]).toEqual([10, 0]);
    await service.forward(TAKEOVER);
    await workDone(service);
    expect([states(await show(pending.id)), kept(pending.id)]).toEqual([expected, 0]);
    expect((await ask(`/purchases/${pending.id}/void`)).body.purchase).toEqual(await show(pending.id));
  });

  it('that is impossible is refused with the reason', async () => {
    const paid = await bought('paid', 1);
    const pending = await bought('open', 1, await storeCard(service, acme.key, ann, SILENT_CARD));
    expect((await ask(`/purchases/${paid.id}/void`)).text).toBe(refused('the purchase is paid: refund it'));
    expect((await ask(`/purchases/${pending.id}/refund`)).text).toBe(
      refused('the purchase is not paid: there is nothing to refund'),
    );
    for (const path of ['/purchases/none/refund', '/purchases/none/void']) {
      const answer = await ask(path);
      expect([path, answer.status, answer.text]).toEqual([path, 404, unableToFind('no purchase has this id')]);
    }
    for (const path of ['/coupons/none/cancel', '/coupons/none/reissue']) {
      const answer = await ask(path);
      expect([path, answer.status, answer.text]).toEqual([path, 404, NO_COUPON]);
    }
    for (const path of [`/purchases/${paid.id}/refund`, `/coupons/${paid.coupons[0].id}/cancel`]) {
      const resource = path.startsWith('/coupons') ? 'coupon' : 'purchase';
      expect((await ask(path, {})).body.errors).toEqual([
        { type: 'missing_field', message: 'is missing', field: 'reason', resource },
      ]);
      expect((await ask(path, { reason: 'x'.repeat(1_001) })).body.errors).toEqual([
        { type: 'invalid', message: 'must have at most 1000 characters', field: 'reason', resource },
      ]);
      expect((await ask(path, undefined, service.auditorToken)).status).toBe(403);
      expect((await service.ask('POST', `/operators${path}`, { key: acme.key, body: { reason: 'x' } })).status).toBe(
        401,
      );
    }
    expect(states(await show(paid.id))).toBe('charged fulfilled valid');
  });

  it('A11: repeated under its key gets the first answer, and changes nothing', async () => {
    const purchase = await bought('repeat', 1);
    const send = (): Promise<Answer> =>
      service.ask('POST', `/operators/coupons/${purchase.coupons[0].id}/reissue`, {
        token: service.operatorToken,
        body: { reason: 'lost' },
        headers: { 'idempotency-key': 'reissue' },
      });
    const first = await send();
    expect((await send()).text).toBe(first.text);
    expect(first.status).toBe(200);
  });

  // Where followers are appended one by one, a lost answer changes their order.
  itOnEmbedded('G7: appears in the history with the operator, the reason and its consequences', async () => {
    const purchase = await bought('history', 2);
    const [first] = purchase.coupons;
    await ask(`/coupons/${first.id}/reissue`, { reason: 'lost' });
    await ask(`/purchases/${purchase.id}/refund`, { reason: 'the spa has closed' });
    const lines = await history(purchase.id);
    const partner = `partner:acme/key:${acme.keyId}`;
    const operator = 'operator:operator';
    expect(lines.slice(0, 10)).toEqual([
      `checkout-started.v1 ${partner}  null/null`,
      `purchase-opened.v1 ${partner}  pending/pending`,
      `purchase-charged.v1 ${partner}  charged/fulfilled`,
      `checkout-sold.v1 ${partner}  charged/fulfilled`,
      `coupon-issued.v1 ${partner}  charged/fulfilled`,
      `coupon-issued.v1 ${partner}  charged/fulfilled`,
      `coupon-reissued.v1 ${operator} lost charged/fulfilled`,
      `coupon-issued.v1 ${operator}  charged/fulfilled`,
      `purchase-coupon-replaced.v1 ${operator}  charged/fulfilled`,
      `purchase-refund-asked.v1 ${operator} the spa has closed charged/fulfilled`,
    ]);
    // The coupons are cancelled at the same time: the steps of each have an order.
    const { events } = (await historyOf(purchase.id)) as { events: readonly Json[] };
    const [reissued, second] = [events[7]?.data.coupon_id, purchase.coupons[1].id];
    for (const coupon of [reissued, second]) {
      const [cancel, ...rest] = events
        .slice(10)
        .filter(({ data }) => data.coupon_id === coupon)
        .map(({ type, actor, data }) => `${type} ${actor} ${data.reason ?? ''}`);
      expect([cancel, rest.at(-1)]).toEqual([
        `coupon-cancelled.v1 ${operator} the spa has closed`,
        `purchase-money-returned.v1 ${operator} `,
      ]);
      // Two streams follow the coupon.
      expect(rest.slice(0, -1).toSorted()).toEqual([
        `purchase-coupon-cancelled.v1 ${operator} `,
        `unit-returned.v1 ${operator} `,
      ]);
    }
    expect(lines.slice(10)).toHaveLength(8);
    const cancelled = lines.filter((line) => line.startsWith('purchase-coupon-cancelled.v1'));
    expect(cancelled.map((line) => line.split(' ').at(-1))).toEqual(['charged/fulfilled', 'refunded/cancelled']);
    expect(lines.at(-1)).toBe(`purchase-money-returned.v1 ${operator}  refunded/cancelled`);
  });
});

describe('D7 D14: while the service cannot reach the gateway', () => {
  afterAll(discardLeftovers);

  it('a refund waits: its money goes back once, when the gateway is back', async () => {
    let gateway = await RunningSandbox.start();
    const { dataDir, url } = gateway;
    const service = await RunningService.start({ env: { SANDBOX_GATEWAY_URL: url, GATEWAY_TIMEOUT: '2500' } });
    const { key } = await service.newPartner('acme');
    const user_id = await service.newUser(key, 'ann@example.org');
    const credit_card_id = await storeCard(service, key, user_id);
    await service.newDeal('spa');
    const body = { deal_id: 'spa', quantity: 2, user_id, credit_card_id, expected_price_per_unit: 1000 };
    const { id } = (await service.ask('POST', '/purchases', { key, body })).body.purchase;
    await gateway.kill();

    const reason = { reason: 'the spa has closed' };
    const { purchase } = await service.operate('POST', `/purchases/${id}/refund`, reason);
    expect([purchase.payment_state, purchase.fulfillment_state]).toEqual(['refunded', 'cancelled']);
    expect(gateway.ledger.filter(({ kind }) => kind === 'refund')).toEqual([]);

    gateway = await RunningSandbox.start({ dataDir, env: { PORT: new URL(url).port } });
    await service.forward(TAKEOVER);
    await workDone(service);
    expect(gateway.ledger.filter(({ kind }) => kind === 'refund')).toMatchObject([
      { charge: id, amount: 1000, outcome: 'refunded' },
      { charge: id, amount: 1000, outcome: 'refunded' },
    ]);
    await service.stop();
    await gateway.stop();
  });
});
