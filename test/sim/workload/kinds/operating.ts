import type { Doing, Kind } from '../doing.js';

const VIEWS = ['deals', 'purchases', 'coupons', 'deal-listing', 'users', 'regions'];

async function someGeneration(doing: Doing, view: string): Promise<number | undefined> {
  const shown = await doing.operate('GET', `/projections/${view}/generations`);
  const generations = shown?.['generations'] as readonly { readonly number: number }[] | undefined;
  const newest = generations?.at(-1)?.number;
  return newest;
}

/** Lists, projections, keys and passwords. */
export const operating: Readonly<Record<string, Kind>> = {
  read: {
    weight: 6,
    async do(doing) {
      const { known, random } = doing;
      const user = known.users.choose(random);
      const purchase = known.purchases.choose(random);
      const deal = known.deals.choose(random);
      const what = random.whole(0, 11);
      const page = random.one(['', '?per_page=2&page=2', '?count=true']);
      if (user === undefined || deal === undefined) return;
      const lists = [
        `/users/${user.id}/purchases${page}`,
        `/users/${user.id}/coupons${random.one(['', '?filter=valid', '?filter=redeemed,expired'])}`,
        `/users/${user.id}/card_links${random.one(['', '?filter=linked', '?filter=unlinked,fulfilled'])}`,
        `/users/${user.id}/saved_deals${page}`,
        `/users/${user.id}/subscriptions${page}`,
        `/users/${user.id}`,
        '/deals?region=testland',
        `/deals/${deal.slug}`,
        '/regions/testland/deals?filter=in_flight,current',
        '/deals/locate?latitude=42.36&longitude=-71.06&radius=5',
      ];
      const path = lists[what];
      if (path !== undefined) await doing.call(user.partner, 'GET', path);
      else if (what === 10 && purchase !== undefined)
        await doing.call(purchase.partner, 'GET', `/purchases/${purchase.id}`);
      else await doing.v3(user.partner, 'GET', `/deals?fields=id,price,soldout&sort=price(desc)`);
    },
  },
  rebuild: {
    weight: 0.7,
    async do(doing) {
      await doing.operate('POST', `/projections/${doing.random.one(VIEWS)}/rebuild`);
    },
  },
  'order to a generation': {
    weight: 0.7,
    async do(doing) {
      const view = doing.random.one(VIEWS);
      const what = doing.random.one(['promote', 'promote', 'cancel', 'drop']);
      const number = await someGeneration(doing, view);
      if (number === undefined) return;
      const path = `/projections/${view}/generations/${number}`;
      await (what === 'drop' ? doing.operate('DELETE', path) : doing.operate('POST', `${path}/${what}`));
    },
  },
  'partner key': {
    weight: 0.5,
    async do(doing) {
      const { known } = doing;
      const partner = doing.partner();
      const made = await doing.operate('POST', `/partners/${partner.id}/keys`);
      const id = made?.['key_id'] as string | undefined;
      if (id !== undefined) known.keys.put(doing.named(), { id, partner });
    },
  },
  'revoke key': {
    weight: 0.4,
    async do(doing) {
      const key = doing.known.keys.choose(doing.random);
      if (key !== undefined) await doing.operate('DELETE', `/partners/${key.partner.id}/keys/${key.id}`);
    },
  },
};
