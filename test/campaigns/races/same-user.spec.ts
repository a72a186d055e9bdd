import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Recorded } from '#kernel';
import { buyFull, cardOf, GOOD_CARD, personOf, storeCard } from '../../support/cards.js';
import { eventsOf } from '../../support/data-folder.js';
import { RunningSandbox } from '../../support/running-sandbox.js';
import {
  discardLeftovers,
  RunningService,
  type Answer,
  type Json,
  type TestPartner,
} from '../../support/running-service.js';
import { expectCertified } from '../../support/certified.js';
import { expectSoundLog } from '../../support/sound-log.js';
import { patience, size, tell } from '../size.js';
import { isTooMany } from './four-ways.js';

const ROUNDS = size('RACES', 24);
/** Milliseconds that the gateway takes for each charge. */
const DELAY = 25;
const DEALS = ['plenty', 'one-each'] as const;

describe('two purchases of the same user and deal at once, while the gateway is slow', () => {
  let sandbox: RunningSandbox;
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    sandbox = await RunningSandbox.start({ env: { DELAY: String(DELAY) } });
    // Cheap hashes, so that both calls of a new user reach the deal in time.
    const env = { SANDBOX_GATEWAY_URL: sandbox.url, ARGON2_MEMORY: '8', ARGON2_TIME: '1' };
    service = await RunningService.start({ env });
    acme = await service.newPartner('acme');
    await service.newDeal('plenty', { stock: null });
    await service.newDeal('one-each', { stock: null, max_per_user: 1 });
  });
  afterAll(async () => {
    await sandbox.kill();
    await discardLeftovers();
  });

  const storedCard = (order: Json): Promise<Answer> =>
    service.ask('POST', '/purchases', { key: acme.key, body: { ...order, expected_price_per_unit: 1000 } });
  const full = (order: Json): Promise<Answer> => buyFull(service, acme, order);

  async function known(round: number): Promise<{ user_id: string; credit_card_id: string }> {
    const user_id = await service.newUser(acme.key, `known-${round}@example.org`);
    return { user_id, credit_card_id: await storeCard(service, acme.key, user_id) };
  }

  /** Two calls at once, by a new user in each round. */
  const PAIRS: readonly ((round: number, deal_id: string) => Promise<readonly (() => Promise<Answer>)[]>)[] = [
    async (round, deal_id) => {
      const order = { deal_id, quantity: 1, ...(await known(round)) };
      return [() => storedCard(order), () => storedCard(order)];
    },
    async (round, deal_id) => {
      const order = { deal_id, quantity: 1, ...(await known(round)) };
      return [() => full(order), () => storedCard(order)];
    },
    async (round, deal_id) => {
      const { user_id } = await known(round);
      const order = { deal_id, quantity: 1, user_id, credit_card: cardOf(GOOD_CARD) };
      return [
        () => full(order),
        () => full({ ...order, user_id: undefined, user: { email: `KNOWN-${round}@example.org` } }),
      ];
    },
    (round, deal_id) => {
      const order = { deal_id, quantity: 1, credit_card: cardOf(GOOD_CARD) };
      const calls = [`New-${round}@example.org`, `new-${round}@Example.org`].map(
        (email) => () => full({ ...order, user: personOf(email) }),
      );
      return Promise.resolve(calls);
    },
  ];

  it(
    `D6 D7 D1: in ${ROUNDS} rounds each is charged once, or refused with 409 and not charged; a new user is created once`,
    async () => {
      const charged: string[] = [];
      const outcomes = new Map<string, number>();
      for (let round = 0; round < ROUNDS; round += 1) {
        const deal = DEALS[Math.floor(round / PAIRS.length) % DEALS.length] ?? 'plenty';
        const calls = await PAIRS[round % PAIRS.length]?.(round, deal);
        // In every third round the second call comes some time after the first one began, or after its end.
        const behind = round % 3 === 2 ? Math.random() * 3 * DELAY : 0;
        const answers = await Promise.all(
          (calls ?? []).map(async (call, index) => {
            await pause(index * behind);
            return call();
          }),
        );
        const bought = answers.filter(({ status }) => status === 200).map(({ body }) => body.purchase);
        const users = answers.map(({ body }) => body.purchase?.user_id ?? body.user_id);
        const cards = answers.map(({ body }) => body.purchase?.credit_card_id ?? body.credit_card_id);
        expect([new Set(users).size, new Set(cards).size]).toEqual([1, 1]);
        const refused = answers.filter(({ status }) => status !== 200);
        const [user_id, credit_card_id] = [users[0], cards[0]];
        for (const answer of refused) {
          if (deal === 'one-each' && isTooMany(answer)) continue;
          expect([answer.status, answer.text]).toEqual([409, stillProcessing(user_id, credit_card_id, bought[0].id)]);
        }
        const outcome = answers.map(({ status }) => status).sort();
        expect(deal === 'plenty' ? ['200,200', '200,409'] : ['200,409', '200,422']).toContain(outcome.join());
        for (const purchase of bought) {
          expect(purchase).toMatchObject({ payment_state: 'charged', fulfillment_state: 'fulfilled', amount: 1000 });
          charged.push(purchase.id);
        }
        outcomes.set(outcome.join(), (outcomes.get(outcome.join()) ?? 0) + 1);
      }
      // Otherwise the two never raced.
      expect(outcomes.get('200,409')).toBeGreaterThan(0);
      await service.stop();

      expect(new Set(charged).size).toBe(charged.length);
      expect(sandbox.ledger).toHaveLength(charged.length);
      expect(sandbox.ledger.map(({ key, outcome }) => `${outcome} ${key}`).sort()).toEqual(
        charged.map((id) => `approved ${id}`).sort(),
      );
      const events = await eventsOf(service.dataDir);
      expectSoundLog(events);
      await expectCertified(events);
      expectOneCheckoutEach(events);
      // One user per round, new or not.
      expect(events.filter(({ type }) => type.startsWith('user-registered'))).toHaveLength(ROUNDS);
      tell('RACES', [...outcomes].map(([outcome, count]) => `${count} × ${outcome}`).join(', '));
    },
    patience(ROUNDS, 5_000),
  );
});

/** The exact refusal; it names the purchase under way. */
function stillProcessing(user_id: string, credit_card_id: string, purchase_id: string): string {
  const error = { error_type: 'already_charging', error_msg: 'an existing purchase is still processing' };
  const detail = 'wait until GET /purchases/<purchase_id> shows it charged or declined';
  return JSON.stringify({ status: 'error', ...error, user_id, credit_card_id, purchase_id, detail });
}

/** At no position of the log does a user have two open checkouts of one deal. */
function expectOneCheckoutEach(events: readonly Recorded[]): void {
  const open = new Map<string, string>();
  for (const { stream, type, data } of events) {
    const { purchase_id, user_id } = data as { purchase_id: string; user_id: string };
    const whose = `${stream} ${user_id}`;
    if (type === 'checkout-started.v1') {
      expect({ whose, open: open.get(whose) }).toEqual({ whose, open: undefined });
      open.set(whose, purchase_id);
    }
    if (type === 'checkout-sold.v1' || type === 'checkout-undone.v1') open.delete(whose);
  }
}
