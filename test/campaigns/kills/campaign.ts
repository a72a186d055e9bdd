import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Recorded } from '#kernel';
import { eventsOf } from '../../support/data-folder.js';
import { RunningService } from '../../support/running-service.js';
import { expectCertified } from '../../support/certified.js';
import { expectSoundLog, unitsByDeal } from '../../support/sound-log.js';
import { workDone } from '../../support/work-done.js';
import { tell } from '../size.js';
import { loadUntilGone, noAnswers, type LoadOptions, type Answers } from './load.js';

const CONNECTIONS = 24;
/** A kill comes within this many milliseconds of load. */
const WITHIN = 900;
/** Followers that were cut off are due 5 s after their decision. */
const UNTIL_DUE = 6;

/**
 * Kills a service under load this many times: after each kill everything that was answered is there, and in the end all adds up.
 */
export async function killUnderLoad(dataDir: string, kills: number): Promise<void> {
  const answers = noAnswers();
  let options: LoadOptions | undefined;
  for (let kill = 0; kill < kills; kill += 1) {
    // In every second run each append is a transaction of its own, so that a kill cuts followers off.
    const env = { SPLIT_APPENDS: String(kill % 2 === 1) };
    const service = await RunningService.start({ dataDir, env });
    options ??= await prepare(service);
    if (kill > 0) await expectAnswered(service, options.key, lifeOf(answers));
    newLife(answers);
    const load = loadUntilGone(service, answers, options);
    await pause(Math.random() * WITHIN);
    await service.kill();
    await load;
  }
  const service = await RunningService.start({ dataDir });
  if (options !== undefined) await expectAnswered(service, options.key, lifeOf(answers));
  await workDone(service);
  await service.stop();

  const events = await eventsOf(dataDir);
  expectSoundLog(events);
  await expectCertified(events);
  expectAllThere(events, answers);
  expectStockAddsUp(events);
  tell(
    'KILLS',
    `${kills} kills; answered: ${answers.purchases.length} purchases, ${answers.redeemed.length} redemptions, ` +
      `${answers.released.length} releases; ${events.length} events`,
  );
}

async function prepare(service: RunningService): Promise<LoadOptions> {
  const { key } = await service.newPartner('acme');
  await service.newDeal('plenty', { stock: 1_000_000 });
  await service.newDeal('scarce', { stock: 300 });
  const redemption_code_pool = Array.from({ length: 2_000 }, (_, index) => `CODE-${index}`);
  await service.newDeal('coded', { stock: 2_000, redemption_code_pool });
  const users: string[] = [];
  for (let index = 0; index < 20; index += 1) users.push(await service.newUser(key, `user-${index}@example.org`));
  return { key, users, deals: ['plenty', 'scarce', 'coded'], connections: CONNECTIONS };
}

/** The length of `said` when the present run of the service began. */
const begun = { purchases: 0, redeemed: 0 };

function newLife(answers: Answers): void {
  begun.purchases = answers.purchases.length;
  begun.redeemed = answers.redeemed.length;
}

function lifeOf(answers: Answers): Pick<Answers, 'purchases' | 'redeemed'> {
  return { purchases: answers.purchases.slice(begun.purchases), redeemed: answers.redeemed.slice(begun.redeemed) };
}

/** Asks the service for everything that its last run had answered. */
async function expectAnswered(
  service: RunningService,
  key: string,
  { purchases, redeemed }: Pick<Answers, 'purchases' | 'redeemed'>,
): Promise<void> {
  await service.forward(UNTIL_DUE);
  await workDone(service);
  const states = new Map<string, string>();
  for (const { id, user, quantity, coupons } of purchases) {
    const { status, body } = await service.ask('GET', `/purchases/${id}`, { key });
    expect({ id, status }).toEqual({ id, status: 200 });
    expect(body.purchase).toMatchObject({
      user_id: user,
      number_bought: quantity,
      payment_state: 'charged',
      fulfillment_state: 'fulfilled',
      coupons: coupons.map((coupon) => ({ id: coupon })),
    });
    for (const coupon of body.purchase.coupons) states.set(coupon.id, coupon.state);
  }
  for (const coupon of redeemed) expect({ coupon, state: states.get(coupon) }).toEqual({ coupon, state: 'redeemed' });
}

/** Every success is in the log once. */
function expectAllThere(events: readonly Recorded[], answers: Answers): void {
  const ids = (type: string, field: string): string[] =>
    events.filter((event) => event.type === type).map(({ data }) => (data as Record<string, string>)[field] ?? '');
  const missing = (yes: readonly string[], there: readonly string[]): string[] => {
    const known = new Set(there);
    return yes.filter((id) => !known.has(id));
  };
  const redeemed = ids('coupon-redeemed.v1', 'coupon_id');
  expect(
    missing(
      answers.purchases.map(({ id }) => id),
      ids('purchase-recorded.v1', 'purchase_id'),
    ),
  ).toEqual([]);
  expect(missing(answers.redeemed, redeemed)).toEqual([]);
  expect(missing(answers.released, ids('hold-released.v1', 'reservation_id'))).toEqual([]);
  // One of two redemptions at once succeeded, and no coupon was redeemed again after a restart.
  expect(new Set(answers.redeemed).size).toBe(answers.redeemed.length);
  expect(new Set(redeemed).size).toBe(redeemed.length);
}

/** Each deal's sold units are the sum of its purchases. */
function expectStockAddsUp(events: readonly Recorded[]): void {
  const bought = new Map<string, number>();
  for (const { type, data } of events) {
    if (type !== 'purchase-recorded.v1') continue;
    const { deal, quantity } = data as { deal: { id: string }; quantity: number };
    bought.set(deal.id, (bought.get(deal.id) ?? 0) + quantity);
  }
  for (const [deal, units] of unitsByDeal(events)) {
    expect({ deal, sold: units.at(-1)?.sold }).toEqual({ deal, sold: bought.get(deal) ?? 0 });
  }
}
