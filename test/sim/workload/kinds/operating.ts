import { views } from '#platform/model';
import type { Doing, Kind } from '../doing.js';

const VIEWS = views.map(({ name }) => name);

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
      const page = random.one(['', '?per_page=2&page=2', '?count=true']);
      if (user === undefined || deal === undefined) return;
      const of = (list: string, ...filters: readonly string[]): string =>
        `/users/${user.id}/${list}${filters.length === 0 ? page : `?filter=${random.one(filters)}`}`;
      const path = random.one([
        of('purchases'),
        of('coupons'),
        of('coupons', 'valid', 'redeemed', 'expired', 'redeemed,expired'),
        of('card_links'),
        of('card_links', 'linked', 'unlinked', 'fulfilled', 'unlinked,fulfilled'),
        of('saved_deals'),
        of('subscriptions'),
        of('shipping_addresses'),
        `/users/${user.id}`,
        `/credit_cards?user_id=${user.id}`,
        `/users/${encodeURIComponent(user.email)}/subscriptions`,
        '/deals?region=testland',
        `/deals?region=testland&user=${user.id}&card_links_redeemed=false`,
        '/deals?show_all=true&price_min=950&num_left=2',
        `/deals?title=${deal.slug}`,
        `/deals?exclude_soldout=true${page.replace('?', '&')}`,
        `/deals/${deal.slug}`,
        '/regions',
        '/regions/farland',
        '/regions/testland/deals?filter=in_flight,current',
        `/regions/02114/deals?user_id=${user.id}`,
        '/deals/locate?latitude=42.36&longitude=-71.06&radius=5',
        purchase === undefined ? '/regions' : `/purchases/${purchase.id}`,
      ]);
      const v3 = random.one([
        '/deals?fields=id,price,soldout&sort=price(desc)',
        '/deals?fields=id&filter=sold_out[false]',
        '/deals?fields=id,title&filter=region[testland]&per_page=2',
        '/regions/testland/deals?fields=id',
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
      const partner = path.startsWith('/purchases/') && purchase !== undefined ? purchase.partner : user.partner;
      if (v3 !== undefined) await doing.v3(partner, 'GET', v3);
      else await doing.call(partner, 'GET', path);
    },
  },
  'read as an operator': {
    weight: 1,
    async do(doing) {
      const { known, random } = doing;
      const purchase = known.purchases.choose(random);
      const auditor = known.auditors.choose(random);
      const path = random.one([
        '/partners?count=true',
        '/tokens',
        '/clock',
        '/projections',
        `/projections/${random.one(VIEWS)}/generations`,
        undefined,
      ]);
      if (path !== undefined) await doing.operate('GET', path);
      else if (auditor !== undefined && purchase !== undefined)
        await doing.audit(auditor.secret, `/auditors/purchases/${purchase.id}/history`);
    },
  },
  rebuild: {
    weight: 0.7,
    async do(doing) {
      await doing.operate('POST', `/projections/${doing.random.one(VIEWS)}/rebuild`);
    },
  },
  'rebuild what is not ready': {
    weight: 1,
    async do(doing) {
      const { random } = doing;
      const view = random.one(VIEWS);
      // An operator whose service is not ready may well try this.
      if ((await doing.open('GET', '/health/ready')) !== undefined) return;
      await doing.operate('GET', `/projections/${view}/generations`);
      await doing.operate('POST', `/projections/${view}/rebuild`);
    },
  },
  'order to a generation': {
    weight: 0.7,
    async do(doing) {
      const view = doing.random.one(VIEWS);
      const what = doing.random.one(['promote', 'promote', 'cancel', 'drop', 'resume', 'skip']);
      // No view stops here; people try it all the same.
      if (what === 'resume' || what === 'skip') {
        await doing.operate('POST', `/projections/${view}/${what}`, { position: '1' });
        return;
      }
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
      // A repeated answer does not show the key.
      const secret = made?.['api_key'] as string | undefined;
      if (id !== undefined) known.keys.put(doing.named(), { id, partner, secret: secret ?? '' });
    },
  },
  'use key': {
    weight: 1,
    async do(doing) {
      const key = doing.known.keys.choose(doing.random, ({ secret }) => secret !== '');
      if (key === undefined) return;
      const email = `user-${doing.random.whole(0, 30)}@example.com`;
      await doing.byKey(key.secret, 'PUT', `/users/${email}/update_by_email`, { first_name: doing.named() });
    },
  },
  'new v3 password': {
    weight: 0.5,
    async do(doing) {
      const partner = doing.partner();
      const made = await doing.operate('POST', `/partners/${partner.id}/password`);
      const password = made?.['password'] as string | undefined;
      if (password !== undefined) partner.basic.password = password;
    },
  },
  storefront: {
    weight: 0.3,
    async do(doing) {
      const storefront_url = doing.random.one([null, `https://${doing.named()}.example/offers/{deal_id}`]);
      await doing.operate('PUT', `/partners/${doing.partner().id}`, { storefront_url });
    },
  },
  'auditor token': {
    weight: 0.4,
    async do(doing) {
      const made = await doing.operate('POST', '/tokens', { name: doing.named(), role: 'auditor' });
      const [id, secret] = [made?.['id'], made?.['token']] as readonly (string | undefined)[];
      if (id !== undefined && secret !== undefined) doing.known.auditors.put(doing.named(), { id, secret });
    },
  },
  'revoke auditor token': {
    weight: 0.3,
    async do(doing) {
      const token = doing.known.auditors.choose(doing.random);
      if (token !== undefined) await doing.operate('DELETE', `/tokens/${token.id}`);
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
