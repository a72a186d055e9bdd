import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeAlone } from '../support/alone.js';
import { cardOf, GOOD_CARD, personOf, storeCard } from '../support/cards.js';
import { RunningDouble } from '../support/running-double.js';
import { discardLeftovers, RunningService, type Answer, type Json } from '../support/running-service.js';

/** Milliseconds of one append: a call with several of them takes more than 5 s, although each is shorter. */
const SLOW = 2_000;

describeAlone('A8: on a server that is slow, or does not answer', () => {
  let double: RunningDouble;
  let service: RunningService;
  let key: string;
  let order: Json;
  let buyer: Json;

  beforeAll(async () => {
    double = await RunningDouble.start('--port=0');
    service = await RunningService.start({ env: { EVENTSTORE_URL: double.url } });
    ({ key } = await service.newPartner('acme'));
    await service.newDeal('spa', { stock: 10 });
    const user_id = await service.newUser(key, 'ann@example.org');
    const credit_card_id = await storeCard(service, key, user_id);
    order = { deal_id: 'spa', quantity: 1, expected_price_per_unit: 1_000 };
    buyer = { user_id, credit_card_id };
  });
  afterAll(async () => {
    await service.kill();
    await double.kill();
    await discardLeftovers();
  });

  const calls: readonly [string, string, () => Json][] = [
    ['a purchase with a stored card', '/purchases', () => ({ ...order, ...buyer })],
    [
      'a purchase of a new user with a new card',
      '/purchases/full',
      () => ({ ...order, user: personOf(`${randomUUID()}@example.org`), credit_card: cardOf(GOOD_CARD) }),
    ],
  ];
  const send = (path: string, body: Json, idempotencyKey: string): Promise<Answer> =>
    service.ask('POST', path, { key, body, headers: { 'idempotency-key': idempotencyKey } });
  const settled = async (path: string, body: Json, idempotencyKey: string): Promise<Answer> => {
    for (;;) {
      const answer = await send(path, body, idempotencyKey);
      if (answer.status !== 503 && answer.status !== 409) return answer;
      await pause(50);
    }
  };

  it.each(calls)(
    '%s waits no longer for all of its commands than for one, and succeeds once',
    async (_, path, body) => {
      const [asked, id] = [body(), randomUUID()];
      await double.control.set({ latency: SLOW });
      const answer = await send(path, asked, id);
      await double.control.set({ latency: 1 });
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, expect.any(String)]);
      expect((await settled(path, asked, id)).status).toBe(200);
    },
  );

  it('those calls and a new user get 503 while the server is frozen', async () => {
    double.child.kill('SIGSTOP');
    const user: (typeof calls)[number] = ['', '/users', () => ({ email: 'eve@example.org' })];
    const answers = await Promise.all([...calls, user].map(([, path, body]) => send(path, body(), randomUUID())));
    double.child.kill('SIGCONT');
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  });
});
