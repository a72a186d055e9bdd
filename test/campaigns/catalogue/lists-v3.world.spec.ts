import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { timeOf } from '../../support/buying.js';
import { discardLeftovers, RunningService, type Json } from '../../support/running-service.js';
import { patience, size, tell } from '../size.js';
import { importDeals, madeUpDeals, type MadeUpDeal } from './made-up-deals.js';
import { milesBetween, stateOf } from './reference.js';

const DEALS = size('DEALS', 1_500);
const PER_PAGE = 40;
const PLACE = { latitude: 42.4, longitude: -71.1 };
const MILES = 60;

/** A condition as the filter writes it, and as a plain reference does. */
type Condition = readonly [text: string, fits: (deal: MadeUpDeal) => boolean];

const named = (name: string | null, ...wanted: readonly string[]): boolean =>
  name !== null && wanted.includes(name.toLowerCase());

const CONDITIONS: readonly Condition[] = [
  ['category[food-drink]', ({ category }) => named(category, 'food & drink')],
  ['category[SPAS,Travel]', ({ category }) => named(category, 'spas', 'travel')],
  ['subcategory[sushi,day-trips]', ({ subcategory }) => named(subcategory, 'sushi', 'day trips')],
  ['price<2000', ({ current_price: price }) => price !== null && price < 2000],
  ['price>=3000', ({ current_price: price }) => price !== null && price >= 3000],
  ['price=2500', ({ current_price: price }) => price === 2500],
  ['price[100,200,2500]', ({ current_price: price }) => price !== null && [100, 200, 2500].includes(price)],
  ['region[boston]', ({ region_id }) => region_id === 'boston'],
  ['region[new-york,north]', ({ region_id }) => ['new-york', 'north'].includes(region_id)],
  ['sold_out[false]', ({ stock }) => stock === null || stock > 0],
  ['sold_out[true]', ({ stock }) => stock === 0],
  [
    `lat_long[${PLACE.latitude},${PLACE.longitude},${MILES}]`,
    ({ spots }) => spots.some((spot) => milesBetween(spot, PLACE) <= MILES),
  ],
];

/** The sort keys; null is the smallest. */
const SORTS: Readonly<Record<string, (deal: MadeUpDeal) => string | number | null>> = {
  end_at: ({ end }) => end,
  start_at: ({ start }) => start,
  price: ({ current_price }) => current_price,
  title: ({ title }) => title,
  merchant_name: ({ merchant_name }) => merchant_name,
  num_left: ({ stock }) => stock ?? Infinity,
  region_id: ({ region_id }) => region_id,
  supplier_id: ({ supplier_id }) => supplier_id,
};

describe('the v3 list against a plain reference', () => {
  let service: RunningService;
  let basic: string;
  let inFlight: readonly MadeUpDeal[];

  beforeAll(
    async () => {
      service = await RunningService.start();
      const now = await timeOf(service);
      const deals = madeUpDeals(DEALS, now);
      await importDeals(service, deals);
      inFlight = deals.filter((deal) => stateOf(deal, now) === 'in-flight');
      const { id } = await service.newPartner('acme');
      const { username, password } = await service.operate('POST', `/partners/${id}/password`);
      basic = `${username}:${password}`;
    },
    patience(DEALS, 50),
  );
  afterAll(discardLeftovers);

  const list = async (query: Readonly<Record<string, string>>): Promise<Json> => {
    const path = `/api/v3/deals?${new URLSearchParams({ fields: 'id', ...query }).toString()}`;
    const { status, body, text } = await service.look(path, '', { basic });
    expect({ query, status, text: status === 200 ? '' : text }).toEqual({ query, status: 200, text: '' });
    return body;
  };

  /** Compares the count, the first page, one in the middle and the last one. */
  async function expectSame(filter: string, sort: string, expected: readonly MadeUpDeal[]): Promise<void> {
    const asked: Record<string, string> = { ...(filter === '' ? {} : { filter }), ...(sort === '' ? {} : { sort }) };
    expect([asked, (await list({ ...asked, count: 'true' })).count]).toEqual([asked, expected.length]);
    const pages = Math.max(1, Math.ceil(expected.length / PER_PAGE));
    for (const page of new Set([1, Math.ceil(pages / 2), pages])) {
      const { deals, next_page } = await list({ ...asked, page: String(page), per_page: String(PER_PAGE) });
      expect([asked, page, deals.map(({ id }: Json) => id), next_page !== undefined]).toEqual([
        asked,
        page,
        expected.slice((page - 1) * PER_PAGE, page * PER_PAGE).map(({ slug }) => slug),
        page < pages,
      ]);
    }
  }

  function sorted(deals: readonly MadeUpDeal[], sort: string, descending: boolean): MadeUpDeal[] {
    const by = SORTS[sort];
    if (by === undefined) throw new Error(sort);
    const compare = (a: MadeUpDeal, b: MadeUpDeal): number => {
      const [x, y] = [by(a), by(b)];
      if (x === y) return 0;
      if (x === null || y === null) return x === null ? -1 : 1;
      return typeof x === 'string' ? Buffer.compare(Buffer.from(x), Buffer.from(String(y))) : x - Number(y);
    };
    return deals.toSorted((a, b) => (descending ? -1 : 1) * compare(a, b) || (a.slug < b.slug ? -1 : 1));
  }

  it(
    '4.2 B4: agrees for every filter alone and every two together, latest end first',
    async () => {
      let found = 0;
      let pairs = 0;
      for (const [index, [text, fits]] of CONDITIONS.entries()) {
        const alone = sorted(inFlight.filter(fits), 'end_at', true);
        await expectSame(text, '', alone);
        for (const [other, both] of CONDITIONS.slice(index + 1)) {
          const expected = alone.filter(both);
          pairs += 1;
          found += expected.length > 0 ? 1 : 0;
          await expectSame(`${text},${other}`, '', expected);
        }
      }
      // Otherwise the lists agree because they are empty.
      expect(found).toBeGreaterThan(pairs / 2);
      tell(
        'DEALS',
        `${DEALS} deals; ${CONDITIONS.length} filters alone, ${pairs} pairs; ${found} lists of pairs with deals in them`,
      );
    },
    patience(DEALS, 200),
  );

  it(
    '4.2 B4: agrees in every order, for all deals and for those that pass a filter',
    async () => {
      const [, cheap] = CONDITIONS[3] ?? ['', () => false];
      for (const name of Object.keys(SORTS)) {
        for (const direction of ['asc', 'desc']) {
          await expectSame('', `${name}(${direction})`, sorted(inFlight, name, direction === 'desc'));
          await expectSame(
            'price<2000',
            `${name}(${direction})`,
            sorted(inFlight.filter(cheap), name, direction === 'desc'),
          );
        }
      }
    },
    patience(DEALS, 200),
  );
});
