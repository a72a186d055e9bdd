import { buy } from '../../support/buying.js';
import type { Request } from '../load/visit.js';
import { openDeals, type Shop } from '../rows/buyers.js';
import type { Asked } from '../rows/compare-http.js';
import { V3_FIELDS } from '../rows/reads.js';
import { SALES } from '../rows/sales.js';

const LISTED = 2_000;
const PURCHASES = 256;
/** Users with a list of their own, the purchases of each, and the units of each of these. */
const [OWNERS, OWN, UNITS] = [16, 10, 5];

/** What the rows ask of each checkout’s service, after they have created what they need. */
export const ROWS = {
  ...SALES,
  'get-purchase': getPurchase,
  'v1-region': v1Region,
  'v3-region': v3Region,
  coupons: listOf('coupons'),
  purchases: listOf('purchases'),
} as const;

export type RowName = keyof typeof ROWS;

const get = (path: string, header: string): Request => ({ method: 'GET', path, headers: [header] });
const always = (asked: Awaited<ReturnType<Asked['visit']>>): Asked => ({ visit: () => asked });

async function getPurchase(shop: Shop): Promise<Asked> {
  const [deal = ''] = await openDeals(shop, 'bought');
  const values: string[] = [];
  for (const { user } of shop.buyers.slice(0, PURCHASES)) {
    values.push((await buy(shop.service, shop.key, deal, user, 1)).id as string);
  }
  return always({ requests: [get('/purchases/{value}', `X-Api-Key: ${shop.key}`)], values });
}

/** The lists of users who have bought as much as a page of 50 coupons shows. */
function listOf(what: 'coupons' | 'purchases'): (shop: Shop) => Promise<Asked> {
  return async (shop) => {
    const [deal = ''] = await openDeals(shop, `listed-${what}`);
    const owners = shop.buyers.slice(0, OWNERS);
    for (const { user } of owners) {
      for (let bought = 0; bought < OWN; bought += 1) await buy(shop.service, shop.key, deal, user, UNITS);
    }
    const values = owners.map(({ user }) => user);
    return always({ requests: [get(`/users/{value}/${what}`, `X-Api-Key: ${shop.key}`)], values });
  };
}

async function v1Region(shop: Shop): Promise<Asked> {
  await openDeals(shop, 'listed', LISTED);
  return always({ requests: [get('/v1/deals?region=shopland', `X-Api-Key: ${shop.key}`)] });
}

async function v3Region(shop: Shop): Promise<Asked> {
  await openDeals(shop, 'listed', LISTED);
  const { id } = await shop.service.newPartner(`lists-${Date.now()}`);
  const { username, password } = await shop.service.operate('POST', `/partners/${id}/password`);
  const basic = `Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const filter = encodeURIComponent('region[shopland]');
  return always({ requests: [get(`/api/v3/deals?fields=${V3_FIELDS}&filter=${filter}`, basic)] });
}
