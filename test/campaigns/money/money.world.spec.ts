import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { idOf, type Recorded } from '#kernel';
import { storeCard } from '../../support/cards.js';
import { eventsOf, viewRowsOf } from '../../support/data-folder.js';
import { discardLeftovers, newDataDir, RunningService } from '../../support/running-service.js';
import { RunningSandbox } from '../../support/running-sandbox.js';
import { expectCertified } from '../../support/certified.js';
import { expectSoundLog, unitsByDeal } from '../../support/sound-log.js';
import { gatewayDone } from '../../support/work-done.js';
import { patience, size, tell } from '../size.js';
import { expectAgreement } from './agreement.js';
import {
  loadUntilGone,
  noAnswers,
  PRICE,
  purchasesAnswered,
  type Holder,
  type LoadOptions,
  type Answers,
} from './load.js';

const KILLS = size('MONEY', 3);
const CONNECTIONS = 24;
/** Each run of the service answers this many purchases; the kill comes within this many milliseconds after. */
const EACH_LIFE = 40;
const WITHIN = 300;
/** Milliseconds. */
const LONGEST_LIFE = 240_000;
/** Seconds after which callers may repeat a request that a kill cut off; interrupted followers and charges are then due. */
const UNTIL_FREE = 31;
/** Seconds after which the last hold has expired. */
const HOLD = 301;
const LISTS = ['open-checkouts', 'asked-refunds', 'open-refunds', 'followers', 'hold-expiry'];
/** In the pool of the deal `coded`. */
const CODES = 2_000;
const MISHAPS = { DELAY: '30', LOSE: '0.05', DUPLICATE: '0.05' };

describe('kill -9 while cards are charged', () => {
  const dataDir = newDataDir();
  let sandbox: RunningSandbox | undefined;
  afterAll(async () => {
    await sandbox?.kill();
    await discardLeftovers();
  });

  it(
    `D7 D8 G5 D10 A11: after ${KILLS} kills the gateway's ledger and the log agree on every purchase`,
    async () => {
      const gateway = (sandbox = await RunningSandbox.start({ env: MISHAPS }));
      const start = (split: boolean): Promise<RunningService> =>
        RunningService.start({
          dataDir,
          env: {
            SANDBOX_GATEWAY_URL: gateway.url,
            GATEWAY_TIMEOUT: '150',
            DECLINES_PER_HOUR: '0',
            ARGON2_MEMORY: '64',
            ARGON2_TIME: '1',
            // Each append is a transaction of its own, so that a kill cuts followers off.
            SPLIT_APPENDS: String(split),
          },
        });
      const answers = noAnswers();
      let options: LoadOptions | undefined;
      for (let kill = 0; kill < KILLS; kill += 1) {
        const service = await start(kill % 2 === 1);
        options ??= await prepare(service);
        await service.forward(UNTIL_FREE);
        const load = loadUntilGone(service, answers, options);
        await Promise.race([load, answered(answers, (kill + 1) * EACH_LIFE)]);
        await pause(Math.random() * WITHIN);
        await service.kill();
        await load;
      }
      const service = await start(false);
      await service.forward(HOLD);
      await gatewayDone(service);
      expect(await workLeft(dataDir)).toEqual([]);
      await service.stop();

      const events = await eventsOf(dataDir);
      expectSoundLog(events);
      await expectCertified(events);
      const counts = expectAgreement(events, gateway.ledger);
      expectAllThere(events, answers);
      expectStockAddsUp(events);
      expectCodesAddUp(events);
      tell(
        'MONEY',
        `${KILLS} kills; ${counts.purchases} purchases: ${counts.charged} charged, ${counts.declined} declined, ` +
          `${counts.voided} voided; ${counts.refunds} refunds; ${counts.takenOver} taken over by the work list; answered: ` +
          `${answers.charged.length} charged, ${answers.pending.length} pending, ${answers.declined} declined, ` +
          `${answers.refused} refused, ${answers.repeated} repeated, ${answers.corrected} corrected; ${events.length} events`,
      );
      expect(counts.purchases).toBeGreaterThanOrEqual(KILLS * EACH_LIFE);
    },
    patience(KILLS, 60_000),
  );
});

async function prepare(service: RunningService): Promise<LoadOptions> {
  const { key } = await service.newPartner('acme');
  const each = { current_price: PRICE };
  await service.newDeal('plenty', { ...each, stock: 1_000_000 });
  await service.newDeal('scarce', { ...each, stock: 100 });
  await service.newDeal('few-each', { ...each, stock: 1_000_000, max_per_user: 4 });
  const redemption_code_pool = Array.from({ length: CODES }, (_, index) => `CODE-${index}`);
  await service.newDeal('coded', { ...each, stock: CODES, redemption_code_pool });
  const holders: Holder[] = [];
  for (let index = 0; index < 20; index += 1) {
    const userId = await service.newUser(key, `user-${index}@example.org`);
    holders.push({ userId, cardId: await storeCard(service, key, userId) });
  }
  return { key, holders, deals: ['plenty', 'plenty', 'scarce', 'few-each', 'coded'], connections: CONNECTIONS };
}

async function answered(answers: Answers, purchases: number): Promise<void> {
  const deadline = Date.now() + LONGEST_LIFE;
  while (purchasesAnswered(answers) < purchases) {
    if (Date.now() > deadline) throw new Error(`${purchasesAnswered(answers)} purchases of ${purchases} were answered`);
    await pause(10);
  }
}

async function workLeft(dataDir: string): Promise<string[]> {
  const rows = await viewRowsOf(dataDir);
  return LISTS.flatMap((list) => (rows.get(list) ?? []).map(({ key }) => `${list}: ${key}`));
}

/** Every success is in the log, with its coupons. */
function expectAllThere(events: readonly Recorded[], { charged, claimed }: Answers): void {
  const sold = new Map<string, string[]>();
  for (const { type, data } of events) {
    if (type !== 'purchase-charged.v1') continue;
    const { purchase_id, coupons } = data as { purchase_id: string; coupons: readonly { id: string }[] };
    sold.set(
      purchase_id,
      coupons.map(({ id }) => id),
    );
  }
  for (const { id, quantity, coupons } of charged) {
    const there = sold.get(id);
    expect({ id, units: there?.length }).toEqual({ id, units: quantity });
    if (coupons.length > 0) expect({ id, coupons }).toEqual({ id, coupons: there });
  }
  const recorded = new Set(
    events
      .filter(({ type }) => type === 'purchase-recorded.v1')
      .map(({ data }) => (data as { purchase_id: string }).purchase_id),
  );
  expect(claimed.filter((id) => !recorded.has(id))).toEqual([]);
}

/** No unit is lost: none is still held, and the sold ones are those charged and claimed that did not come back. */
function expectStockAddsUp(events: readonly Recorded[]): void {
  const sold = new Map<string, number>();
  const count = (deal: string, units: number): unknown => sold.set(deal, (sold.get(deal) ?? 0) + units);
  for (const { type, data, stream } of events) {
    const { deal, coupons, quantity } = data as Record<string, unknown> as {
      deal: { id: string };
      coupons: readonly unknown[];
      quantity: number;
    };
    if (type === 'purchase-charged.v1') count(deal.id, coupons.length);
    if (type === 'purchase-recorded.v1') count(deal.id, quantity);
    if (type === 'unit-returned.v1') count(idOf(stream), -1);
  }
  const cancelled = events.filter(({ type }) => type === 'coupon-cancelled.v1').length;
  expect(events.filter(({ type }) => type === 'unit-returned.v1')).toHaveLength(cancelled);
  for (const [deal, units] of unitsByDeal(events)) {
    const { held, sold: units_sold } = units.at(-1) ?? { held: 0, sold: 0 };
    expect({ deal, held, sold: units_sold }).toEqual({ deal, held: 0, sold: sold.get(deal) ?? 0 });
  }
}

/** No code is sold twice, and none is lost: those of closed checkouts are in the pool again. */
function expectCodesAddUp(events: readonly Recorded[]): void {
  const sold = events
    .filter(({ type }) => type === 'coupon-issued.v1')
    .flatMap(({ data }) => (data as { redemption_code: string | null }).redemption_code ?? []);
  expect(new Set(sold).size).toBe(sold.length);
  expect(sold.length).toBeGreaterThan(0);
  const units = events.filter(({ stream, data }) => stream === 'inventory-coded' && 'codes_left' in data);
  expect(units.at(-1)?.data).toMatchObject({ codes_left: CODES - sold.length });
}
