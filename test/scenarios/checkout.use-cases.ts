import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readLedger } from '#adapters/sandbox-gateway';
import {
  cardOf,
  DECLINED_CARD,
  GOOD_CARD,
  LOST_ANSWER_CARD,
  personOf,
  SILENT_CARD,
  storeCard,
} from '../support/cards.js';
import type { Answer, Json, RunningService } from '../support/running-service.js';
import { useCase, type Client, type UseCase } from './crash-windows.js';

/** Seconds after which the work list has taken a charge over. */
const TAKEN_OVER = 7;
const PATIENCE = 240_000;
const ADDRESS = { address_one: '1 Main St', postal_code: '02114', city: 'Boston', state: 'MA', country: 'US' };

interface Shop {
  readonly key: string;
}

interface Buyer extends Shop {
  readonly userId: string;
}

interface Bought extends Buyer {
  readonly purchaseId: string;
  readonly coupons: readonly string[];
}

/** A partner and a deal of 5 units. */
async function shop(service: RunningService, attributes: Readonly<Record<string, unknown>> = {}): Promise<Shop> {
  const { key } = await service.newPartner('acme');
  await service.newDeal('spa', { stock: 5, ...attributes });
  return { key };
}

/** The same with a user. */
async function buyer(service: RunningService, attributes: Readonly<Record<string, unknown>> = {}): Promise<Buyer> {
  const { key } = await shop(service, attributes);
  return { key, userId: await service.newUser(key, 'ann@example.org') };
}

function order({ userId }: Buyer, number: string, quantity = 2): Json {
  return { deal_id: 'spa', quantity, user_id: userId, credit_card: cardOf(number) };
}

/** The same after the user bought 2 units. */
async function bought(service: RunningService): Promise<Bought> {
  const ann = await buyer(service);
  const { body } = await service.ask('POST', '/purchases/full', { key: ann.key, body: order(ann, GOOD_CARD) });
  const { id, coupons } = body.purchase;
  return { ...ann, purchaseId: id, coupons: (coupons as Json[]).map((coupon) => coupon.id as string) };
}

/** The same with a charge that the gateway never answers: the call still waits for it when the service stops. */
async function unanswered(service: RunningService, number: string): Promise<Bought> {
  const ann = await buyer(service);
  const call = service.ask('POST', '/purchases/full', { key: ann.key, body: order(ann, number) });
  call.catch(() => undefined);
  const ledger = join(service.dataDir, 'sandbox-gateway.jsonl');
  for (;;) {
    const [line] = readLedger(ledger);
    if (line !== undefined) return { ...ann, purchaseId: line.key, coupons: [] };
    await pause(20);
  }
}

/** Buys, and lets the work list ask the gateway again until the outcome of the charge is known. */
async function buyUntilKnown(client: Client, { key }: Shop, body: Json): Promise<Answer> {
  const answer = await client.send('POST', '/purchases/full', { key, body });
  const { body: clock } = await client.operate('GET', '/clock');
  await client.until(Date.parse(clock.now) + TAKEN_OVER * 1000);
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const shown = await client.send('GET', `/purchases/${answer.body.purchase.id}`, { key });
    const { payment_state, coupons, number_bought } = shown.body.purchase;
    // In split mode the charge is on disk, and shown, before its coupons are.
    const isWhole = payment_state !== 'charged' || coupons.length === number_bought;
    if (payment_state !== 'pending' && isWhole) return shown;
    if (Date.now() > deadline) throw new Error(`the charge stays unknown: ${shown.text}`);
    await pause(50);
  }
}

const voided: UseCase<Bought>['run'] = (client, { purchaseId }) =>
  client.operate('POST', `/purchases/${purchaseId}/void`, { reason: 'the gateway is silent' });

/** Purchases that our gateway charges, and corrections by operators. */
export const checkoutUseCases: readonly UseCase[] = [
  useCase({
    title: '4.6.1 D6 D7 D10 A11: user, card, address and purchase in one call',
    decisions: 9,
    instantsAlike: true,
    ledger: ['charge approved'],
    prepare: (service) => shop(service, { fulfillment_method: 'shipped' }),
    run: (client, { key }) =>
      client.send('POST', '/purchases/full', {
        key,
        body: {
          deal_id: 'spa',
          quantity: 2,
          user: personOf('ann@example.org'),
          credit_card: cardOf(GOOD_CARD),
          shipping_address: ADDRESS,
        },
      }),
  }),
  useCase({
    title: '4.6 D7 A11: a purchase with a stored card',
    nightly: true,
    decisions: 3,
    instantsAlike: true,
    ledger: ['charge approved'],
    prepare: async (service) => {
      const ann = await buyer(service);
      return { ...ann, cardId: await storeCard(service, ann.key, ann.userId) };
    },
    run: (client, { key, userId, cardId }) =>
      client.send('POST', '/purchases', {
        key,
        body: { deal_id: 'spa', quantity: 2, user_id: userId, credit_card_id: cardId, expected_price_per_unit: 1000 },
      }),
  }),
  useCase({
    title: 'D7 D8 A11: a purchase that the gateway declines',
    decisions: 3,
    status: 422,
    instantsAlike: true,
    ledger: ['charge declined'],
    prepare: buyer,
    run: (client, ann) => client.send('POST', '/purchases/full', { key: ann.key, body: order(ann, DECLINED_CARD) }),
  }),
  useCase({
    title: 'D7 D10: a purchase with redemption codes',
    nightly: true,
    decisions: 4,
    instantsAlike: true,
    ledger: ['charge approved'],
    prepare: (service) => buyer(service, { redemption_code_pool: ['C-1', 'C-2', 'C-3'] }),
    run: (client, ann) => client.send('POST', '/purchases/full', { key: ann.key, body: order(ann, GOOD_CARD) }),
  }),
  useCase({
    title: 'D7 D8: a purchase whose first answer is lost, taken over by the work list',
    decisions: 6,
    instantsAlike: true,
    ledger: ['charge approved'],
    prepare: buyer,
    run: (client, ann) => buyUntilKnown(client, ann, order(ann, LOST_ANSWER_CARD)),
  }),
  useCase({
    title: 'D14 G5 D7: an operator cancels a coupon, and its money goes back',
    decisions: 3,
    instantsAlike: true,
    ledger: ['charge approved', 'refund refunded'],
    prepare: bought,
    run: (client, { coupons }) =>
      client.operate('POST', `/coupons/${coupons[0]}/cancel`, { reason: 'the spa is closed' }),
  }),
  useCase({
    title: 'D14 G5: an operator reissues a coupon',
    nightly: true,
    instantsAlike: true,
    ledger: ['charge approved'],
    prepare: bought,
    run: (client, { coupons }) => client.operate('POST', `/coupons/${coupons[0]}/reissue`, { reason: 'it was lost' }),
  }),
  useCase({
    title: 'D14 G5 D7: an operator refunds a purchase of two coupons',
    nightly: true,
    decisions: 7,
    instantsAlike: true,
    ledger: ['charge approved', 'refund refunded', 'refund refunded'],
    prepare: bought,
    run: (client, { purchaseId }) =>
      client.operate('POST', `/purchases/${purchaseId}/refund`, { reason: 'the spa is closed' }),
  }),
  useCase({
    title: 'G5 D7 D8: an operator voids a charge that the gateway never answered',
    nightly: true,
    decisions: 2,
    instantsAlike: true,
    ledger: ['cancel closed', 'charge silent'],
    // Not taken over before it is voided.
    env: { GATEWAY_TIMEOUT: '60000' },
    inNewProcess: true,
    prepare: (service) => unanswered(service, SILENT_CARD),
    run: voided,
  }),
  useCase({
    title: 'G5 D7 D8: an operator voids a charge that the gateway took without an answer: the money goes back',
    decisions: 2,
    instantsAlike: true,
    ledger: ['cancel refunded', 'charge approved'],
    env: { GATEWAY_TIMEOUT: '60000' },
    inNewProcess: true,
    prepare: (service) => unanswered(service, LOST_ANSWER_CARD),
    run: voided,
  }),
];
