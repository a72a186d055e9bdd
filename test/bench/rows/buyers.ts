import { GOOD_CARD, storeCard } from '../../support/cards.js';
import type { RunningService } from '../../support/running-service.js';

/** More users than connections: a deal charges a user once at a time. */
const USERS = 600;
const TOGETHER = 32;
const PRICE = 1_000;
const STOCK = 1_000_000_000;

/** Who buys at a service, and as which partner. */
export interface Shop {
  readonly service: RunningService;
  readonly key: string;
  readonly buyers: readonly { readonly user: string; readonly card: string }[];
}

/** Creates a partner's users, each with a stored card. */
export async function openShop(service: RunningService): Promise<Shop> {
  const { key } = await service.newPartner(`shop-${Date.now()}`);
  const buyers: { user: string; card: string }[] = [];
  for (let from = 0; from < USERS; from += TOGETHER) {
    const some = Array.from({ length: Math.min(TOGETHER, USERS - from) }, async (_, nth) => {
      const user = await service.newUser(key, `buyer${from + nth}@example.com`);
      return { user, card: await storeCard(service, key, user, GOOD_CARD) };
    });
    buyers.push(...(await Promise.all(some)));
  }
  return { service, key, buyers };
}

/** Creates deals that do not sell out, and returns their slugs. They are there already if the row has run before. */
export async function openDeals({ service }: Shop, name: string, count = 1): Promise<readonly string[]> {
  const { now } = await service.operate('GET', '/clock');
  const at = (days: number): string => new Date(Date.parse(now) + days * 86_400_000).toISOString();
  const slugs = Array.from({ length: count }, (_, nth) => `${name}-${String(nth).padStart(4, '0')}`);
  const deal = {
    kind: 'deal',
    state: 'approved',
    region_id: 'shopland',
    start_at: at(-1),
    end_at: at(9),
    current_price: PRICE,
    value: 2 * PRICE,
    stock: STOCK,
    max_per_user: null,
    image: '/images/deal.jpg',
  };
  const lines = [
    { kind: 'region', slug: 'shopland', name: 'Shopland', time_zone: 'America/New_York' },
    ...slugs.map((slug) => ({ ...deal, slug, title: `Deal ${slug}` })),
  ];
  const answer = await service.ask('POST', '/operators/import', {
    token: service.operatorToken,
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  });
  if (answer.body?.status !== 'success' || answer.body.refused.length > 0) throw new Error(answer.text.slice(0, 1_000));
  return slugs;
}
