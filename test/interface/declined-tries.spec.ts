import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readLedger } from '#adapters/sandbox-gateway';
import { buyFull, cardOf, DECLINED_CARD, GOOD_CARD, NO_FUNDS_CARD, personOf, storeCard } from '../support/cards.js';
import { isCluster, sharedEngines } from '../support/cluster.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const itOfOneProcess = isCluster(sharedEngines() ?? { eventStoreUrl: '' }) ? it.skip : it;

const HOUR = 3_600;
const TOO_MANY = 'purchase declined: too many declined tries within an hour';

/** The sandbox declines both; a partner's tries of one do not count for the other, nor for another partner's. */
describe('I12: declined tries', () => {
  let service: RunningService;
  let acme: TestPartner;
  let other: TestPartner;
  let users = 0;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    other = await service.newPartner('other');
    await service.newDeal('spa', { stock: null });
    await service.newDeal('other-spa', { stock: null });
  });
  afterAll(() => service.discard());

  const newUser = (partner = acme): Promise<string> => service.newUser(partner.key, `user-${++users}@example.org`);
  /** Buys with this number, as a new user if none is given. */
  const full = (number: string, more: Json = {}, partner = acme): Promise<Answer> =>
    buyFull(service, partner, {
      deal_id: 'spa',
      quantity: 1,
      credit_card: cardOf(number),
      ...(more.user_id === undefined && { user: personOf(`user-${++users}@example.org`) }),
      ...more,
    });
  const storedCard = (user_id: string, credit_card_id: string, more: Json = {}): Promise<Answer> =>
    service.ask('POST', '/purchases', {
      key: acme.key,
      body: { deal_id: 'spa', quantity: 1, expected_price_per_unit: 1000, user_id, credit_card_id, ...more },
    });
  const asked = (): number => readLedger(join(service.dataDir, 'sandbox-gateway.jsonl')).length;
  const sold = async (): Promise<number> =>
    (await service.ask('GET', '/deals/spa', { key: acme.key })).body.deal.number_sold;
  const expectWait = (answer: Answer): void => {
    expect([answer.status, answer.body.error_type, answer.body.error_msg]).toEqual([422, 'declined', TOO_MANY]);
    const seconds = Number(answer.headers['retry-after']);
    expect(seconds).toBeGreaterThan(HOUR - 120);
    expect(seconds).toBeLessThanOrEqual(HOUR);
    expect(answer.body.purchase_id).toBeUndefined();
  };
  const expectDecline = (answer: Answer): void => {
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ error_type: 'declined', purchase_id: expect.any(String) });
    expect(answer.headers['retry-after']).toBeUndefined();
  };

  it('5 of one number end its tries, whoever of the partner’s users stored it; nothing is asked, made or taken', async () => {
    const ann = await newUser();
    const annsCard = await storeCard(service, acme.key, ann, DECLINED_CARD);
    expectDecline(await full(DECLINED_CARD));
    expectDecline(await full(DECLINED_CARD));
    expectDecline(await full(DECLINED_CARD, { deal_id: 'other-spa' }));
    expectDecline(await storedCard(ann, annsCard));
    expectDecline(await storedCard(ann, annsCard, { deal_id: 'other-spa' }));
    const before = [asked(), await sold()];

    const refused = await full(DECLINED_CARD, { user_id: ann });
    expectWait(refused);
    const retry = refused.headers['retry-after'];
    expect(refused.text).toBe(
      `{"status":"error","error_type":"declined","error_msg":"${TOO_MANY}","user_id":"${ann}",` +
        `"credit_card_id":"${annsCard}","detail":"nothing was charged, and no purchase was made: ` +
        `try again in ${retry} s, with a new Idempotency-Key"}`,
    );
    const byNew = await full(DECLINED_CARD);
    expectWait(byNew);
    // As after a decline, user and card are stored (ruling D6).
    expect(byNew.body).toMatchObject({ user_id: expect.any(String), credit_card_id: expect.any(String) });
    expectWait(await storedCard(ann, annsCard));
    expect([asked(), await sold()]).toEqual(before);
    expect((await service.ask('GET', `/users/${ann}/purchases?count=true`, { key: acme.key })).body.count).toBe(2);

    // Another card of the same user, and the same number at another partner.
    expect((await full(GOOD_CARD, { user_id: ann })).status).toBe(200);
    expectDecline(await full(DECLINED_CARD, {}, other));
  });

  it('is known after a restart, and over when the oldest is an hour old', async () => {
    const { dataDir } = service;
    await service.kill();
    service = await RunningService.start({ dataDir });
    expectWait(await full(DECLINED_CARD));
    await service.forward(HOUR);
    expectDecline(await full(DECLINED_CARD));
  });

  it('10 of one user end their tries, with any card, and those of nobody else', async () => {
    await service.forward(HOUR);
    const bob = await newUser();
    for (const number of [DECLINED_CARD, NO_FUNDS_CARD])
      for (let each = 0; each < 5; each += 1) {
        expect((await full(GOOD_CARD, { user_id: bob })).status).toBe(200);
        expectDecline(await full(number, { user_id: bob }));
      }
    expectWait(await full(GOOD_CARD, { user_id: bob }));
    expect((await full(GOOD_CARD)).status).toBe(200);
  });

  it('A11: a repeat gets its first answer, also when the hour is over', async () => {
    const carl = await newUser();
    const request = {
      key: acme.key,
      headers: { 'idempotency-key': 'too-many' },
      body: { deal_id: 'spa', quantity: 1, user_id: carl, credit_card: cardOf(NO_FUNDS_CARD) },
    };
    const first = await service.ask('POST', '/purchases/full', request);
    expectWait(first);
    await service.forward(HOUR);
    const again = await service.ask('POST', '/purchases/full', request);
    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([422, first.text, 'true']);
    expectDecline(
      await service.ask('POST', '/purchases/full', { ...request, headers: { 'idempotency-key': 'another' } }),
    );
  });

  // Each API of a cluster counts what is under way there.
  itOfOneProcess('parallel tries get no more answers of the gateway', async () => {
    await service.forward(HOUR);
    // Users who exist: hashing the passwords of new ones takes long on a busy machine.
    const buyers = await Promise.all(Array.from({ length: 20 }, () => newUser()));
    const before = asked();
    const answers = await Promise.all(buyers.map((user_id) => full(DECLINED_CARD, { user_id })));
    expect(answers.filter(({ body }) => body.purchase_id !== undefined)).toHaveLength(5);
    // A very busy machine may end the wait of some.
    expect(answers.every(({ body }) => ['declined', 'unavailable'].includes(body.error_type))).toBe(true);
    expect(asked()).toBe(before + 5);
  });
});
