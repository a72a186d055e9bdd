import { describe, expect, it } from '@jest/globals';
import { madeUpLog, onSale, sold } from './made-up-log.js';
import { checkLists } from './lists.js';
import { Units } from './units.js';
import { Known, type Partner } from '../workload/known.js';
import type { Answer, Request } from '../world/installation.js';

const NOW = 1_000;
const ANN = 'ann';

interface Coupon {
  readonly state: string;
  readonly created_at: number;
  readonly expires_at?: number;
}

/** Ann's coupons: the newest first is d, c, b, a; d has expired. */
const COUPONS: Readonly<Record<string, Coupon>> = {
  a: { state: 'valid', created_at: 1 },
  b: { state: 'redeemed', created_at: 2 },
  c: { state: 'valid', created_at: 3, expires_at: 2_000 },
  d: { state: 'valid', created_at: 4, expires_at: NOW },
};
/** What each filter of coupons shows. */
const SHOWN: Readonly<Record<string, string>> = { '': 'd,c,b,a', valid: 'c,a', 'redeemed,expired': 'd,b' };

/** What a service shows instead of the truth. */
interface Wrong {
  /** The items of a list, by its filter. */
  readonly shown?: Readonly<Record<string, string>>;
  readonly page?: string;
  readonly count?: number;
  readonly deal?: object;
}

const PARTNER: Partner = { slug: 'acme', id: 'p', key: 'k', basic: { username: 'u', password: 's' } };

/** Checks the lists of a service with Ann's coupons, and a deal of 5 units with codes, one of them sold. */
function check(wrong: Wrong = {}, units = unitsOf(5)): Promise<void> {
  const known = new Known();
  known.partners.push(PARTNER);
  known.users.put('ann@example.com', { id: ANN, email: 'ann@example.com', partner: PARTNER });
  known.users.put('eve@example.com', { id: 'eve', email: 'eve@example.com', partner: PARTNER });
  known.deals.put('spa', { slug: 'spa', kind: 'codes' });
  const rows: Readonly<Record<string, Readonly<Record<string, object>>>> = {
    coupons: { ...COUPONS, x: { state: 'valid', created_at: 9 } },
    // Nobody may ask for the lists of a user who is gone.
    users: { eve: { deleted: true } },
  };
  const rowsOf = (view: string): ReadonlyMap<string, { readonly row: object; readonly position: bigint }> =>
    new Map(
      Object.entries(rows[view] ?? {}).map(([id, row]) => [
        id,
        { row: { user_id: id === 'x' ? 'bob' : ANN, ...row }, position: 1n },
      ]),
    );
  return checkLists(service(wrong), known, { of: rowsOf } as never, { units, now: () => NOW });
}

function unitsOf(stock: number): Units {
  const units = new Units();
  const codes = ['1', '2', '3'];
  const counted = { stock, held: 0, sold: 1, codes_left: 3 };
  const log = madeUpLog(
    ...onSale(stock),
    ['inventory-spa', 'codes-added.v1', { codes, stock, held: 0, sold: 0, codes_left: 3 }],
    sold('units-sold.v1', 'a', counted),
  );
  for (const event of log) units.check(event);
  return units;
}

function service({ shown = SHOWN, page, count, deal }: Wrong): (request: Request) => Promise<Answer> {
  return ({ path }) => {
    if (path === '/deals/spa') return answer({ deal: { number_sold: 1, num_left: 3, ...deal } });
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    if (pathname.includes('eve')) throw new Error('nobody may ask for a user who is gone');
    const name = pathname.split('/').at(-1) ?? '';
    const items = name === 'coupons' ? (shown[searchParams.get('filter') ?? '']?.split(',') ?? []) : [];
    if (searchParams.has('count')) return answer({ count: name === 'coupons' ? (count ?? items.length) : 0 });
    const size = Number(searchParams.get('per_page'));
    const from = (Number(searchParams.get('page') ?? 1) - 1) * size;
    const ids = from > 0 && page !== undefined && name === 'coupons' ? page.split(',') : items.slice(from, from + size);
    return answer({ [name]: ids.map((id) => ({ id })) });
  };
}

function answer(body: object): Promise<Answer> {
  return Promise.resolve({ status: 200, headers: {}, text: JSON.stringify(body) });
}

describe('the lists over HTTP', () => {
  it('show what the rows say', async () => {
    await expect(check()).resolves.toBeUndefined();
  });

  it.each<[string, Wrong, string]>([
    ['a missing item', { shown: { ...SHOWN, '': 'd,c,a' } }, 'd,c,a; expected d,c,b,a'],
    ['an item of somebody else', { shown: { ...SHOWN, '': 'x,d,c,b,a' } }, 'expected d,c,b,a'],
    ['another order', { shown: { ...SHOWN, '': 'a,b,c,d' } }, 'a,b,c,d; expected d,c,b,a'],
    ['an expired coupon among the valid', { shown: { ...SHOWN, valid: 'd,c,a' } }, 'filter=valid&): d,c,a'],
    ['an expired coupon nowhere', { shown: { ...SHOWN, 'redeemed,expired': 'b' } }, 'expected d,b'],
    ['a wrong second page', { page: 'c,b' }, 'c,b on page 2 of 2 each'],
    ['a wrong number', { count: 3 }, '3 items; expected d,c,b,a'],
  ])('are violated by %s', async (_, wrong, words) => {
    await expect(check(wrong)).rejects.toThrow('lists show what the rows say: coupons of user ann');
    await expect(check(wrong)).rejects.toThrow(words);
  });
});

describe('the deals over HTTP', () => {
  it('show what is left of the stock, or of the codes', async () => {
    await expect(check({ deal: { num_left: 1 } }, unitsOf(2))).resolves.toBeUndefined();
  });

  it.each<[string, Wrong]>([
    ['sold units', { deal: { number_sold: 2 } }],
    ['units that are left', { deal: { num_left: 4 } }],
    ['no bound', { deal: { num_left: null } }],
  ])('are violated by wrong %s', async (_, wrong) => {
    await expect(check(wrong)).rejects.toThrow('a deal shows its units: deal spa');
  });
});
