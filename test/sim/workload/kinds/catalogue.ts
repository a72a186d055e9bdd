import type { Doing, Kind } from '../doing.js';
import type { Deal } from '../known.js';

const DAY = 86_400_000;
const MINUTE = 60_000;

export const REGIONS = {
  testland: { name: 'Testland', time_zone: 'America/New_York', latitude: 42.36, longitude: -71.06, radius: 20 },
  farland: { name: 'Farland', time_zone: 'Europe/Lisbon', latitude: 40.75, longitude: -73.99, radius: 20 },
} as const;

/** What card-linked deals give for a transaction. */
const INCENTIVES = [
  { incentive_amount: 100 },
  { incentive_amount: 100, num_qualifying: 2 },
  { incentive_percentage: 15 },
  { incentive_percentage: 33, maximum_allowance: 1009 },
] as const;

/** The attributes of a new deal of each kind. */
export function attributesOf(doing: Pick<Doing, 'random' | 'now'>, kind: Deal['kind'], slug: string): object {
  const { random, now } = doing;
  const at = (days: number): string => new Date(now + days * DAY).toISOString();
  const window = {
    title: slug,
    region_id: random.one(Object.keys(REGIONS)),
    start_at: at(-1),
    end_at: at(random.one([9, 12, 14])),
  };
  const refundable = random.chance(0.8);
  if (kind === 'card-linked')
    return {
      ...window,
      type: 'card-linked',
      max_linkage: random.whole(1, 3),
      min_spend: 500,
      ...random.one(INCENTIVES),
      refundable,
    };
  const max_per_user = random.one([null, null, 2, 4]);
  const sold = { ...window, current_price: 1000, value: 2000, max_per_user, refundable };
  const codes = Array.from({ length: random.whole(3, 8) }, (_, index) => `${slug}-${index}`);
  const stock = random.one([3, 6, 10, null]);
  if (kind === 'codes') return { ...sold, stock, redemption_code_pool: codes };
  if (kind === 'shipped') return { ...sold, stock, fulfillment_method: 'shipped' };
  return { ...sold, stock: stock ?? 8, ...(random.chance(0.3) && { expiration_days: random.whole(1, 3) }) };
}

/** Operators work on the catalogue, and on the time. */
export const catalogue: Readonly<Record<string, Kind>> = {
  'new deal': {
    weight: 2,
    async do(doing) {
      const { known, random } = doing;
      const kind = random.one(['plain', 'plain', 'codes', 'shipped', 'card-linked'] as const);
      const slug = `deal-${doing.named()}`;
      const state = random.one(['approved', 'in-flight', undefined]);
      const body = attributesOf(doing, kind, slug);
      const isImported = random.chance(0.4);
      const made = isImported
        ? await doing.importLines({ kind: 'deal', slug, ...body, ...(state && { state }) })
        : await doing.operate('PUT', `/deals/${slug}`, body);
      if (made === undefined) return;
      known.deals.put(slug, { slug, kind });
      if (isImported && state !== undefined) return;
      for (const to of ['in-review', 'approved']) await doing.operate('POST', `/deals/${slug}/transitions`, { to });
    },
  },
  'import file': {
    weight: 0.5,
    async do(doing) {
      const { random, known } = doing;
      const deals = ['a', 'b', 'c'].map((name) => ({ kind: 'deal', slug: `deal-${doing.named(name)}` }));
      const bodies = deals.map((deal) => ({ ...deal, ...attributesOf(doing, 'plain', deal.slug), state: 'in-flight' }));
      const regions = Object.entries(REGIONS).map(([slug, region]) => ({ kind: 'region', slug, ...region }));
      const isAgain = random.chance(0.3);
      if ((await doing.importLines(...regions, ...bodies)) === undefined) return;
      if (isAgain) await doing.importLines(...regions, ...bodies);
      for (const { slug } of deals) known.deals.put(slug, { slug, kind: 'plain' });
    },
  },
  stock: {
    weight: 5,
    async do(doing) {
      const deal = doing.known.deals.choose(doing.random, ({ kind }) => kind !== 'card-linked');
      const units = doing.random.chance(0.05) ? null : doing.random.whole(0, 12 + (doing.operation.index >> 6));
      if (deal === undefined) return;
      const meaning = { type: 'set-stock', deal: deal.slug, units } as const;
      await doing.operate('PUT', `/deals/${deal.slug}/stock`, { units }, meaning);
    },
  },
  'change deal': {
    weight: 3,
    async do(doing) {
      const { known, random } = doing;
      const deal = known.deals.choose(random);
      const change = random.one([
        { current_price: 1000 },
        { current_price: random.whole(900, 1100) },
        { max_per_user: random.one([null, 1, 2, 4]) },
        { description1: doing.named() },
        { refundable: random.chance(0.5) },
        { min_spend: random.one([null, 501, 2000]) },
        { num_qualifying: random.one([null, 2, 3]) },
        { redemption_code_pool: [`more-${doing.named()}`, `more-${doing.named('b')}`] },
      ]);
      if (deal === undefined) return;
      const isPlain = 'description1' in change || 'refundable' in change;
      const isOfLinks = 'min_spend' in change || 'num_qualifying' in change;
      if (!isPlain && (deal.kind === 'card-linked') !== isOfLinks) return;
      if (deal.kind !== 'codes' && 'redemption_code_pool' in change) return;
      await doing.operate('PUT', `/deals/${deal.slug}`, change);
    },
  },
  move: {
    weight: 3,
    async do(doing) {
      const { known, random } = doing;
      const deal = known.deals.choose(random);
      const to = random.one(['paused', 'in-flight', 'in-flight', 'in-flight', 'landed', 'cancelled', 'deleted']);
      const isMeant = !['landed', 'cancelled', 'deleted'].includes(to) || random.chance(0.3);
      if (deal === undefined || !isMeant) return;
      await doing.operate('POST', `/deals/${deal.slug}/transitions`, { to, reason: 'a change of mind' });
    },
  },
  'change region': {
    weight: 1,
    async do(doing) {
      const slug = doing.random.one(Object.keys(REGIONS) as (keyof typeof REGIONS)[]);
      await doing.operate('PUT', `/regions/${slug}`, { ...REGIONS[slug], name: `${slug} ${doing.named()}` });
    },
  },
  clock: {
    weight: 1.2,
    async do(doing) {
      const { random } = doing;
      const by = random.one([MINUTE, 5 * MINUTE, 5 * MINUTE + 1, 6 * MINUTE, 30 * MINUTE, 7 * 60 * MINUTE, DAY]);
      await doing.operate('PUT', '/clock', { now: new Date(doing.now + by).toISOString() });
    },
  },
};
