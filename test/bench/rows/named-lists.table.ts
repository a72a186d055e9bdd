/** A list that partners' pages ask for. */
export interface NamedList {
  readonly name: string;
  /** The page that shows it. */
  readonly page: string;
  /** With the region `boston`. */
  readonly path: string;
  /** Whether v3's credential is needed. */
  readonly v3?: true;
}

const v1 = (query: string): string => (query === '' ? '/v1/deals' : `/v1/deals?${query}`);
const FIELDS = 'id,title,price,value,merchant_name,images[small],end_at,sold_out';
const v3 = (filter: string, sort = ''): string => {
  const keywords = Object.entries({ filter, sort }).filter(([, text]) => text !== '');
  const given = keywords.map(([keyword, text]) => `&${keyword}=${encodeURIComponent(text)}`);
  return `/api/v3/deals?fields=${FIELDS}${given.join('')}`;
};

/**
 * The named set: the filters and orders of lists of deals that stay fast however many deals a region has. They are the lists
 * without filters, each in its default order, and those that a partner's pages use. What is not here is still answered, but
 * its cost may grow with the catalogue: to count deals reads an entry of an index for each (docs/bounds.md).
 */
export const NAMED_LISTS: readonly NamedList[] = [
  { name: 'v1', page: 'all deals', path: v1('') },
  { name: 'v1 region', page: 'a city', path: v1('region=boston') },
  { name: 'v1 region, not sold out', page: 'a city', path: v1('region=boston&exclude_soldout=true') },
  { name: 'v1 region and price', page: 'a city, up to a price', path: v1('region=boston&price_max=2000') },
  { name: 'v1 region and category', page: 'a category of a city', path: v1('region=boston&category=Spas') },
  { name: 'v1 price', page: 'up to a price', path: v1('price_min=1000&price_max=2000') },
  { name: 'v1 place', page: 'near a place', path: v1('latitude=42.4&longitude=-71.1&radius=25') },
  {
    name: 'v1 region, prepaid only',
    page: 'a city without card links',
    path: v1('region=boston&card_links_redeemed=false'),
  },
  { name: 'v1 vendor', page: 'a merchant', path: v1('vendors=merchant-3') },
  { name: 'v1 supplier', page: 'a supplier', path: v1('suppliers=supplier-3') },
  { name: 'locate', page: 'deals nearby, in an app', path: '/deals/locate?latitude=42.4&longitude=-71.1&radius=25' },
  { name: 'regional', page: 'deals of a region', path: '/regions/boston/deals' },
  { name: 'regional, offers too', page: 'deals of a region', path: '/regions/boston/deals?filter=in_flight,current' },
  { name: 'v3', page: 'all deals', path: v3(''), v3: true },
  { name: 'v3 region', page: 'a city', path: v3('region[boston]'), v3: true },
  { name: 'v3 region and category', page: 'a category of a city', path: v3('region[boston],category[spas]'), v3: true },
  { name: 'v3 region, not sold out', page: 'a city', path: v3('region[boston],sold_out[false]'), v3: true },
  { name: 'v3 price', page: 'up to a price', path: v3('price>=1000,price<=2000'), v3: true },
  { name: 'v3 place', page: 'near a place', path: v3('lat_long[42.4,-71.1,25]'), v3: true },
  { name: 'v3 region, cheapest first', page: 'a city by price', path: v3('region[boston]', 'price(asc)'), v3: true },
  {
    name: 'v3 region, newest first',
    page: 'a city, what is new',
    path: v3('region[boston]', 'start_at(desc)'),
    v3: true,
  },
  { name: 'v3 region, ending soon', page: 'a city, last chance', path: v3('region[boston]', 'end_at(asc)'), v3: true },
  {
    name: 'v3 region, best sellers',
    page: 'a city by sales',
    path: v3('region[boston]', 'number_sold(desc)'),
    v3: true,
  },
];
