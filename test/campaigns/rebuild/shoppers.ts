import type { Answer, RunningService } from '../../support/running-service.js';
import { size } from '../size.js';

/** What shoppers did and saw. */
export interface Seen {
  purchases: number;
  reads: number;
}

export function nothingSeen(): Seen {
  return { purchases: 0, reads: 0 };
}

/** This many buy, and as many read; fewer on a stand-in that is slower than the real server. */
const SHOPPERS = size('REBUILD_SHOPPERS', 4);

/** Buys, and reads lists and purchases, on several connections until the signal aborts. Any failed answer throws. */
export async function shopUntil(service: RunningService, seen: Seen, signal: AbortSignal): Promise<void> {
  const { key } = await service.newPartner(`shop-${Date.now()}`);
  const users: string[] = [];
  for (let nth = 0; nth < SHOPPERS; nth += 1) users.push(await service.newUser(key, `shopper-${nth}@example.org`));
  await service.newDeal('shop', { stock: null, max_per_user: null });

  const ask = async (method: string, path: string, body?: object): Promise<Answer['body']> => {
    const answer = await service.ask(method, path, { key, body });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    if (method === 'GET') seen.reads += 1;
    return answer.body;
  };
  const shop = async (user_id: string): Promise<void> => {
    while (!signal.aborted) {
      const held = await ask('POST', '/purchases/reserve', { deal_id: 'shop', num_bought: 1 });
      const { id } = held.purchase;
      await ask('PUT', `/purchases/${id}/claim`, { user_id });
      seen.purchases += 1;
      // A shopper reads its own writes, whichever generation is live.
      const { purchase } = await ask('GET', `/purchases/${id}`);
      if (purchase.fulfillment_state !== 'fulfilled') throw new Error(`${id} is read as ${purchase.fulfillment_state}`);
    }
  };
  const reads = ['/deals?region=testland', '/deals/shop', '/regions', '/regions/testland'];
  for (const user of users) reads.push(`/users/${user}`, `/users/${user}/purchases`, `/users/${user}/coupons`);
  const read = async (first: number): Promise<void> => {
    for (let nth = first; !signal.aborted; nth += 1) {
      await ask('GET', reads[nth % reads.length] ?? '');
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  await Promise.all([...users.map(shop), ...Array.from({ length: SHOPPERS }, (_, nth) => read(nth))]);
}
