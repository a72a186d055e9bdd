import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { buy, reserve } from '../../support/buying.js';
import { cardOf, DECLINED_CARD, GOOD_CARD } from '../../support/cards.js';
import { discardLeftovers, RunningService, type Json } from '../../support/running-service.js';
import { workDone } from '../../support/work-done.js';
import { cpuOf, tellsCpu } from '../cost/cpu.js';
import { opened, sold } from '../scale/history/hot-deal.js';
import { filledFolder } from '../scale/history/kept-folder.js';
import { patience, size, tell } from '../size.js';

const SALES = size('LOOKUP', 1_000);
const IN_FULL = process.env['LOOKUP'] !== undefined;
const USERS = SALES / 10;
const DEALS = Math.max(2, SALES / 10_000);
/** Milliseconds for a sale to be prepared, and for the views to see it. */
const PER_SALE = 20;
/** Milliseconds of CPU of the service that a page may take. */
const MOST_CPU = 10;
/** Users that one request imports. */
const TOGETHER = 5_000;
/** How often each question is asked: the first answers of a start find nothing in memory. */
const TIMES = 3;

const HOLDFAST = resolve('dist/apps/ops/holdfast.js');

/** What the support desk holds in its hand. */
interface Notes extends Record<string, Json> {
  readonly key: string;
  readonly user: string;
}

afterAll(discardLeftovers);

describe(`a support desk beside ${SALES} purchases of ${USERS} users`, () => {
  it(
    'answers its questions by one command each, from indexes',
    async () => {
      const { dataDir, notes } = await filledFolder(`lookup-${SALES}`, filled);
      const service = await RunningService.start({ dataDir, ownProcess: true });
      await workDone(service, patience(SALES, PER_SALE));
      const missed: string[] = [];
      for (const [question, command, shows] of questionsOf(notes)) {
        let answer: Answered | undefined;
        for (let nth = 0; nth < TIMES; nth += 1) answer = await ask(service, command);
        if (answer === undefined) continue;
        expect([question, answer.code, answer.out]).toEqual([question, 0, expect.stringMatching(shows)]);
        const isDear = tellsCpu && answer.cpu > MOST_CPU;
        if (isDear) missed.push(question);
        const figures = `${answer.cpu.toFixed(0)} ms of CPU of the service, ${answer.took.toFixed(0)} ms in all`;
        tell('LOOKUP', `${question}: ${figures}${isDear ? ', MISSED' : ''}`);
      }
      await service.stop();
      if (IN_FULL) expect(missed).toEqual([]);
      for (const command of [
        'deals show deal-0',
        `find ${notes['barcode']}`,
        `purchases list --deal-id deal-0 --limit 5`,
      ]) {
        const { code, took } = await run(command, { DATA_DIR: dataDir });
        expect([command, code]).toEqual([command, 0]);
        tell('LOOKUP', `without a service, ${command}: ${took.toFixed(0)} ms`);
      }
    },
    patience(SALES, PER_SALE),
  );
});

/** What the desk asks, by one command each, and what the answer has. */
function questionsOf(notes: Notes): readonly (readonly [question: string, command: string, shows: RegExp])[] {
  const { user, email, barcode, coupon, purchase, hold, today, unitPrice } = notes;
  return [
    ['who is grace@example.com', `find ${email}`, /user +email/],
    ['what do we know of this user', `users show ${user}`, /Hopper/],
    ['who read this person', `users reads ${user}`, /operator:/],
    ['what has this user bought', `purchases list --user-id ${user}`, /fulfilled/],
    ['which coupons has this user', `coupons list --user-id ${user} --state valid`, /valid/],
    ['what is coupon 486503955122', `find ${barcode}`, new RegExp(String(coupon))],
    ['the same coupon by its id', `coupons show ${coupon}`, /purchase/],
    ['what happened to this purchase', `purchases history ${purchase}`, /coupon-issued/],
    ['whose is the card that ends in 4242', 'cards list --last4 4242', /4242/],
    ['what was paid with a card that ends in 4242', 'purchases list --last4 4242', /fulfilled/],
    ['what became of the card that was declined', 'purchases list --state declined', /declined/],
    ['which sale has the reseller’s reference', 'purchases list --reference order-7', /order-7/],
    ['what did this deal sell today', `purchases list --deal-id deal-1 --day ${today}`, /deal-1/],
    [
      'which of them were large',
      `purchases list --deal-id deal-0 --min-amount ${Number(unitPrice) * 2} --day ${today}`,
      /ID/,
    ],
    ['which holds of acme are open', 'reservations list --partner acme', new RegExp(String(hold))],
    ['how does this deal stand', 'deals show deal-0', /held/],
    ['who changed this price', 'events stream deal-deal-0 --from 1', /current_price is/],
    ['every change of this deal’s stock', 'deals ledger deal-0 --limit 20', /hold/],
    ['what was imported today', `imports list --day ${today}`, /ended/],
    ['which deals does the merchant have', 'find harbor', /deal +merchant_id/],
    ['which users of acme are new', 'users list --partner acme --limit 20', /…@/],
    ['which stream is this', `find purchase-${purchase}`, /stream +name/],
  ];
}

interface Ended {
  readonly code: number;
  readonly out: string;
  /** Milliseconds. */
  readonly took: number;
}

interface Answered extends Ended {
  /** Milliseconds of CPU of the service. */
  readonly cpu: number;
}

async function ask(service: RunningService, command: string): Promise<Answered> {
  const { pid } = service.child;
  const used = (): number => (tellsCpu && pid !== undefined ? cpuOf(pid) : 0);
  const before = used();
  const ended = await run(command, { HOLDFAST_URL: service.url, DATA_DIR: service.dataDir });
  return { ...ended, cpu: used() - before };
}

async function run(command: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  const begun = performance.now();
  const child = spawn(process.execPath, [HOLDFAST, ...command.split(' ')], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (piece: Buffer) => (out += piece.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, took: performance.now() - begun };
}

/** Fills a folder: users are imported, and buy of each deal in turn; then comes what the desk is asked about. */
async function filled(dataDir: string): Promise<Notes> {
  const deals = Array.from({ length: DEALS }, (_, number) => `deal-${number}`);
  const { shop, partner } = await opened(
    dataDir,
    deals.map((deal) => ({ deal, sales: SALES / DEALS, buyers: USERS })),
  );
  let service = await RunningService.start({ dataDir, ownProcess: true });
  for (let from = 0; from < USERS; from += TOGETHER) await imported(service, from);
  const users = await userIds(service);
  await service.stop();
  const share = Math.ceil(users.length / DEALS);
  const all = deals.map((deal, nth) => ({
    ...{ deal, sales: SALES / DEALS, buyers: share },
    users: users.slice(nth * share, (nth + 1) * share),
  }));
  await sold(dataDir, partner, all);
  service = await RunningService.start({ dataDir, ownProcess: true, unready: true });
  await workDone(service, patience(SALES, PER_SALE));
  const notes = await asked(service, shop.key);
  await workDone(service, patience(SALES, PER_SALE));
  await service.stop();
  return notes;
}

async function imported(service: RunningService, from: number): Promise<void> {
  const lines = Array.from({ length: Math.min(TOGETHER, USERS - from) }, (_, nth) =>
    JSON.stringify({ kind: 'user', partner: 'acme', email: `user-${from + nth}@example.com`, first_name: 'Ann' }),
  );
  const headers = { 'content-type': 'application/x-ndjson' };
  const answer = await service.ask('POST', '/operators/import', {
    token: service.operatorToken,
    body: lines.join('\n'),
    headers,
  });
  expect([answer.status, answer.body.refused]).toEqual([200, []]);
}

/** The ids of all users. */
async function userIds(service: RunningService): Promise<readonly string[]> {
  const { text } = await service.ask('GET', '/operators/users?format=ndjson', { token: service.operatorToken });
  return text
    .trimEnd()
    .split('\n')
    .map((line): Json => JSON.parse(line))
    .flatMap(({ id }) => (id === undefined ? [] : [String(id)]));
}

/** Makes what the desk is asked about. */
async function asked(service: RunningService, key: string): Promise<Notes> {
  const email = 'grace@example.com';
  const user = await service.newUser(key, email, { first_name: 'Grace', last_name: 'Hopper' });
  const bought = await buy(service, key, 'deal-0', user);
  await buy(service, key, 'deal-1', user);
  const held = await reserve(service, key, 'deal-0', 2);
  for (const number of [GOOD_CARD, DECLINED_CARD]) {
    const body = { deal_id: 'deal-1', quantity: 1, user_id: user, credit_card: cardOf(number) };
    await service.ask('POST', '/purchases/full', { key, body });
  }
  const { partners } = await service.operate('GET', '/partners');
  const { password } = await service.operate('POST', `/partners/${partners[0].id}/password`);
  const order = { transaction_reference: 'order-7', transaction_date: '2026-01-31T12:00:00Z', transaction_amount: 900 };
  const body = { deal_id: 'deal-1', quantity: 1, first_name: 'Zoë', last_name: 'Lee', ...order };
  await service.ask('POST', '/api/v3/resellers/purchases', { basic: `acme:${password}`, body });
  await service.operate('PUT', '/deals/deal-0', { current_price: 1_250, merchant_id: 'harbor' });
  const [coupon] = bought.coupons;
  return {
    ...{ key, user, email, hold: held.id, purchase: bought.id, coupon: coupon.id, barcode: coupon.barcode },
    today: new Date().toISOString().slice(0, 10),
    unitPrice: 1_000,
  };
}
