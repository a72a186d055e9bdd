import { claim, reserve } from '../../support/buying.js';
import { DECLINED_CARD, GOOD_CARD, storeCard } from '../../support/cards.js';
import { type Json, type RunningService } from '../../support/running-service.js';
import { type BrowsedDeal, type Card, type KnownDeal, type Partner, type Shopper, type World } from '../world.js';
import { crowdOf } from './crowd.js';
import { CROWDED_DEALS, DealLines, MUSEUM, PLACE, REGION, regionLines, SPA, type Line } from './deal-lines.js';
import { HOME_IP, UNDELIVERABLE } from './start.js';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** A few more users than a day of emails takes (8). */
const CROWD = 10_010;

/**
 * Prepares what the script presupposes, in a new service that `startForScript` started: as operators would, by their calls and
 * an import; and, for what only a partner can make, by the partner's calls. All over HTTP.
 * @throws Error if a call is refused
 */
export async function prepareWorld(service: RunningService): Promise<World> {
  const now = await startOfNextDay(service);
  const partner = await newPartner(service);
  const lines = new DealLines(now, now - (now % DAY)).all();
  await importLines(service, [...regionLines, ...lines]);
  const shopper = await newShopper(service, partner);
  const soldOut = known(lines, 'last-seat');
  const { id } = await reserve(service, partner.key, soldOut.id);
  await claim(service, partner.key, id, shopper.userId);
  return {
    partner,
    // The proxy in front of the service: without its header, a call from this machine counts as one by HTTPS (A3).
    plain: { at: undefined, headers: { 'x-forwarded-proto': 'http' } },
    now: async () => new Date((await service.operate('GET', '/clock')).now),
    pass: (seconds) => service.forward(seconds),
    regions: {
      home: {
        id: REGION.home,
        name: 'New York',
        city: 'New York',
        state: 'NY',
        zip: '10001',
        ip: HOME_IP,
        ...PLACE.home,
      },
      far: REGION.far,
      crowded: { id: REGION.crowded, deals: CROWDED_DEALS },
    },
    deals: {
      daily: browsed(lines, 'spa-day', SPA),
      onGoing: { ...known(lines, 'museum-pass'), category: MUSEUM.category, subcategory: MUSEUM.subcategory },
      shipped: known(lines, 'tea-box'),
      printed: known(lines, 'concert'),
      cardLinked: [known(lines, 'lunch-offer'), known(lines, 'coffee-offer'), known(lines, 'taxi-offer')],
      affiliate: known(lines, 'free-sample'),
      soldOut,
      single: known(lines, 'only-one'),
      limited: { ...known(lines, 'two-each'), maxPerUser: 2 },
      far: known(lines, 'beach-walk'),
      approved: known(lines, 'soon'),
      submitted: known(lines, 'draft'),
      startsLater: known(lines, 'later'),
      endsToday: known(lines, 'tonight'),
    },
    cards: { good: cardOf(GOOD_CARD), other: cardOf('5555555555554444'), declined: cardOf(DECLINED_CARD) },
    shopper,
    refunds: {
      nonRefundableDealId: 'no-refund',
      inAnotherRefund: await cancelledCoupon(service, partner, 'prepared-1'),
      beyondBought: await cancelledCoupon(service, partner, 'prepared-2'),
    },
    crowd: await crowdOf(service, partner.key, CROWD),
    undeliverableUserId: await service.newUser(partner.key, UNDELIVERABLE),
  };
}

/** The script needs at least twelve hours of the day. */
async function startOfNextDay(service: RunningService): Promise<number> {
  const now = Date.parse((await service.operate('GET', '/clock')).now);
  const start = now - (now % DAY) + DAY + 10 * MINUTE;
  await service.operate('PUT', '/clock', { now: new Date(start).toISOString() });
  return start;
}

async function newPartner(service: RunningService): Promise<Partner> {
  const {
    api_key: key,
    username,
    password,
  } = await service.operate('POST', '/partners', { name: 'Acme', slug: 'acme' });
  return { key, username, password };
}

async function importLines(service: RunningService, lines: readonly Line[]): Promise<void> {
  const answer = await service.ask('POST', '/operators/import', {
    token: service.operatorToken,
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  });
  if (answer.status !== 200 || answer.body.refused_count !== 0)
    throw new Error(`import: ${answer.status} ${answer.text}`);
}

async function newShopper(service: RunningService, { key }: Partner): Promise<Shopper> {
  const userId = await service.newUser(key, 'shopper@partner.example', { first_name: 'Sam', last_name: 'Quill' });
  const stored = await expected(service, 'POST', '/shipping_addresses', {
    key,
    body: {
      user_id: userId,
      address_one: '7 River Rd',
      postal_code: '10001',
      city: 'New York',
      state: 'NY',
      country: 'US',
    },
  });
  return {
    userId,
    creditCardId: await storeCard(service, key, userId),
    shippingAddressId: stored.shipping_address_id,
  };
}

/** A coupon that the partner resold alone and then cancelled: it is part of a refund, and its purchase has no other (D12). */
async function cancelledCoupon(service: RunningService, partner: Partner, reference: string): Promise<string> {
  const basic = `${partner.username}:${partner.password}`;
  const sold = await expected(service, 'POST', '/api/v3/resellers/purchases', {
    basic,
    body: {
      deal_id: 'spa-day',
      quantity: 1,
      transaction_reference: reference,
      transaction_date: (await service.operate('GET', '/clock')).now,
      transaction_amount: 2500,
      first_name: 'Pat',
      last_name: 'Quill',
    },
  });
  const id: string = sold.coupons[0].id;
  await expected(service, 'DELETE', `/api/v3/coupons/${id}/cancel`, { basic });
  return id;
}

async function expected(
  service: RunningService,
  method: string,
  path: string,
  options: Parameters<RunningService['ask']>[2],
): Promise<Json> {
  const answer = await service.ask(method, path, options);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

function known(lines: readonly Line[], slug: string): KnownDeal {
  const line = lines.find((each) => each['slug'] === slug);
  if (line === undefined) throw new Error(`no deal ${slug}`);
  return { id: slug, price: Number(line['current_price'] ?? 0) };
}

function browsed(lines: readonly Line[], slug: string, own: typeof SPA): BrowsedDeal {
  return {
    ...known(lines, slug),
    title: own.title,
    category: own.category,
    subcategory: own.subcategory,
    merchant: own.merchant_name,
    supplierId: own.supplier_id,
    vendor: own.merchant_id,
    marketplaceSlug: own.marketplace_slug,
  };
}

function cardOf(number: string): Card {
  return { number, verificationValue: '123', month: 12, year: 2035, zipCode: '10001' };
}
