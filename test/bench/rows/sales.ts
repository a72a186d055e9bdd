import { buy } from '../../support/buying.js';
import { cardOf, GOOD_CARD } from '../../support/cards.js';
import type { Bench, Measurement } from '../bench.js';
import type { Request } from '../load/visit.js';
import { openDeals, openShop, type Shop } from './buyers.js';
import { againstBare, type Asked } from './compare-http.js';
import type { Holdfast } from '../servers/holdfast.js';

const MANY_DEALS = 1_000;
/** Coupons of one purchase: the most that it can have, or, on a server without transactions, less for a stand-in's sake. */
const AT_ONCE = { embedded: 1_000, cluster: 100 } as const;
/**
 * Coupons for each second of a turn, which ends early if a service redeems them faster. The service remembers the pictures of
 * some 25 000 at least.
 */
const REDEEMED = { embedded: 12_000, cluster: 1_000 } as const;
const PRICE = 1_000;

/** What a row must know of the run. */
type Run = { readonly options: Pick<Bench['options'], 'seconds'> } & Pick<Bench, 'cluster'>;

/** The rows of buying: what each asks, after its deals were created. */
export const SALES = {
  'stored-card': storedCard,
  full,
  claim,
  redeem,
  reserve: (shop) => reserve(shop, 'reserve', 1),
  'reserve-1000': (shop) => reserve(shop, 'reserve-1000', MANY_DEALS),
} as const satisfies Readonly<Record<string, (shop: Shop, bench: Run) => Promise<Asked>>>;

export type SalesRow = keyof typeof SALES;

/** A service that nobody has used, with buyers. */
export function newShop(bench: Bench): Promise<{ readonly holdfast: Holdfast; readonly shop: Shop }> {
  return bench.place('a new shop', async (cleanup) => {
    const holdfast = await bench.start(cleanup, bench.newFolder());
    return { holdfast, shop: await openShop(holdfast.service) };
  });
}

/** Measures a row of buying. */
export function sales(row: SalesRow): Measurement {
  return async (bench) => {
    const { holdfast, shop } = await newShop(bench);
    return [await againstBare(bench, row, holdfast, await SALES[row](shop, bench))];
  };
}

const always = (asked: Awaited<ReturnType<Asked['visit']>>): Asked => ({ visit: () => asked });

function call({ key }: Shop, method: Request['method'], path: string, body: object): Request {
  return { method, path, headers: [`X-Api-Key: ${key}`], body: JSON.stringify(body) };
}

/** Deals in an order that has nothing to do with their names. */
function mixed(slugs: readonly string[]): readonly string[] {
  const STEP = 389;
  return slugs.map((_, nth) => slugs[(nth * STEP) % slugs.length] ?? '');
}

async function reserve(shop: Shop, name: string, deals: number): Promise<Asked> {
  const values = mixed(await openDeals(shop, name, deals));
  return always({
    requests: [call(shop, 'POST', '/purchases/reserve', { deal_id: '{value}', num_bought: 1 })],
    values,
  });
}

async function claim(shop: Shop): Promise<Asked> {
  const [deal_id] = await openDeals(shop, 'claim');
  const requests = [
    call(shop, 'POST', '/purchases/reserve', { deal_id, num_bought: 1 }),
    call(shop, 'PUT', '/purchases/{id}/claim', { user_id: '{value}' }),
  ];
  return always({ requests, values: shop.buyers.map(({ user }) => user) });
}

async function storedCard(shop: Shop): Promise<Asked> {
  const [deal_id] = await openDeals(shop, 'stored-card');
  const order = { deal_id, quantity: 1, expected_price_per_unit: PRICE };
  const values = shop.buyers.map(({ user, card }) => `"user_id":"${user}","credit_card_id":"${card}"`);
  return always({ requests: [withNames(call(shop, 'POST', '/purchases', order))], values });
}

/** A user who exists, and a card that is sent whole and was stored before: what every purchase but a user's first is. */
async function full(shop: Shop): Promise<Asked> {
  const [deal_id] = await openDeals(shop, 'full');
  const order = { deal_id, quantity: 1, expected_price_per_unit: PRICE, credit_card: cardOf(GOOD_CARD) };
  const values = shop.buyers.map(({ user }) => `"user_id":"${user}"`);
  return always({ requests: [withNames(call(shop, 'POST', '/purchases/full', order))], values });
}

/** Puts several fields at once at the beginning of a body. */
function withNames(request: Request): Request {
  return { ...request, body: `{{value},${(request.body ?? '').slice(1)}` };
}

/** Each coupon is redeemed once, so each turn gets new ones. */
async function redeem(shop: Shop, bench: Run): Promise<Asked> {
  const [deal = ''] = await openDeals(shop, 'redeem');
  const [buyer] = shop.buyers;
  const on = bench.cluster === undefined ? 'embedded' : 'cluster';
  const purchases = Math.ceil((bench.options.seconds * REDEEMED[on]) / AT_ONCE[on]);
  const requests = [call(shop, 'PUT', '/coupons/{value}/redeem', {})];
  return {
    visit: async () => {
      const values: string[] = [];
      for (let bought = 0; bought < purchases; bought += 1) {
        const { coupons } = await buy(shop.service, shop.key, deal, buyer?.user ?? '', AT_ONCE[on]);
        values.push(...(coupons as { id: string }[]).map(({ id }) => id));
      }
      return { requests, values, once: true };
    },
  };
}
