import type { Json } from '../support/running-service.js';
import { requestsOf } from './engagements.js';
import type { RecordedRequest } from './recording.js';
import type { Shop } from './shop.js';

const get = (
  path: string,
  as: RecordedRequest['as'] = 'acme',
  contract: RecordedRequest['contract'] = 'bytes',
): RecordedRequest => ({
  ...{ as, method: 'GET', path, contract },
});

/** Everything that partners, consumers, operators and auditors can read of the shop, except what it sells last, under load. */
export function requests(shop: Shop, held: string): readonly RecordedRequest[] {
  const { users, purchases } = shop;
  const ids = [...Object.values(purchases), held];
  return [
    ...listsOfDeals(),
    ...['spa', 'coded', 'daily', 'short', 'shipped', 'endless', 'offer', 'linked', 'paused', 'approved'].map((slug) =>
      get(`/v1/deals/${slug}.json`),
    ),
    ...['/regions', '/regions/boston', '/regions/lisbon', '/regions/boston/deals', '/regions/Boston/MA/deals'].map(
      (path) => get(path),
    ),
    ...Object.values(users).flatMap((user) => ofUser(user)),
    ...ids.map((id) => get(`/purchases/${id}`)),
    ...shop.coupons.flatMap((coupon) => pagesOf(coupon)),
    ...requestsOf(shop.engagements),
    ...ids.map((id) => get(`/auditors/purchases/${id}/history`, 'auditor', 'says')),
    get('/operators/partners', 'operator', 'says'),
    get('/operators/tokens', 'operator', 'says'),
    get('/users/nobody'),
    get(`/users/${users.ann}`, 'rival'),
    get(`/users/${users.ann}`, 'revoked'),
    get('/deals', 'nobody'),
  ];
}

/** Regions in which nothing is sold any more. */
function listsOfDeals(): readonly RecordedRequest[] {
  const v3 = (query: Record<string, string>): RecordedRequest =>
    get(`/api/v3/deals?${new URLSearchParams(query).toString()}`, 'acme-v3');
  const fields = 'id,title,num_left,number_sold,sold_out,start_at,end_at,price,images[small],locations,region,state';
  return [
    get('/deals?region=boston'),
    get('/deals?region=boston&count=true'),
    get('/deals?region=boston&show_all=true&per_page=4&page=2'),
    get('/deals?region=boston&state=paused'),
    get('/deals?region=boston&exclude_soldout=true&price_min=500'),
    get('/deals/locate?latitude=42.36&longitude=-71.06&radius=5'),
    v3({ fields, filter: 'region[boston]' }),
    v3({ fields: 'id,value', filter: 'region[boston],price>=500', sort: 'end_at(desc)', per_page: '2' }),
    get(`/api/v3/regions/boston/deals?fields=id,num_left`, 'acme-v3'),
  ];
}

function ofUser(user: string): readonly RecordedRequest[] {
  const of = [
    `/credit_cards?user_id=${user}`,
    ...['shipping_addresses', 'purchases', 'coupons'].map((of) => `/users/${user}/${of}`),
  ];
  const coupons = ['valid', 'redeemed', 'expired'].map((state) => `/users/${user}/coupons?filter=${state}`);
  return [`/users/${user}`, ...of, ...coupons].map((path) => get(path));
}

/** The picture, the printable page, and the page that a scan opens. */
function pagesOf(coupon: Json): readonly RecordedRequest[] {
  const path = (url: string): string => new URL(url).pathname + new URL(url).search;
  const codes = coupon.state === 'valid' ? [coupon.redemption_code] : [];
  const words = [`Deal ${coupon.deal_id}`, ...codes].filter((word) => typeof word === 'string');
  return [
    get(path(coupon.qr_code_url), 'nobody'),
    { ...get(path(coupon.print_url), 'nobody', 'shows'), words },
    { ...get(`/c/${coupon.id}`, 'nobody', 'shows'), words: words.slice(0, 1) },
  ];
}
