import {
  absoluteUrl,
  all,
  anything,
  type Check,
  exactLength,
  exactly,
  filled,
  has,
  isoUtc,
  lacks,
  listOf,
  notEmpty,
  object,
  optional,
  sortedBy,
  text,
  that,
} from './checks.js';
import { ALL_FIELDS_V3, dealV3, namedFields, pageV3 } from './deal.shapes.js';
import { type Known } from './known.js';
import { anyOf, named, refused, type Step, step, succeeds } from './step.js';

const LIST = '/api/v3/deals';

/** 4.2: the filter that keeps the deals of the crowded region out. */
function home({ world }: Known): string {
  return `region[${world.regions.home.id}]`;
}

/** 4.2: a list of the home region with one more condition. */
function filtered(
  does: string,
  condition: (known: Known) => string,
  deals: (known: Known) => readonly Check[],
  alone = false,
): Step {
  return step(
    '4.2',
    `filters ${does}`,
    (known) => {
      const filter = alone ? condition(known) : `${home(known)},${condition(known)}`;
      return named('GET', LIST, { query: { fields: 'id,region_id', filter } });
    },
    (known) => succeeds(pageV3(all(listOf(namedFields({ id: filled, region_id: filled })), ...deals(known)))),
  );
}

/** The deal is found. */
const found = ({ world }: Known): readonly Check[] => [has(world.deals.daily.id)];
const notFound = ({ world }: Known): readonly Check[] => [lacks(world.deals.daily.id)];
/** The daily deal is found, the on-going one is not. */
const onlyDaily = ({ world }: Known): readonly Check[] => [has(world.deals.daily.id), lacks(world.deals.onGoing.id)];
const both = ({ world }: Known): readonly Check[] => [has(world.deals.daily.id), has(world.deals.onGoing.id)];

const price = ({ world }: Known): number => world.deals.daily.price;

const fields: readonly Step[] = [
  step(
    '2.3',
    'lists deals with all fields',
    (known) => named('GET', LIST, { query: { fields: ALL_FIELDS_V3, filter: home(known) } }),
    ({ world: { deals } }) =>
      succeeds(
        pageV3(
          all(
            listOf(dealV3),
            has(deals.daily.id),
            has(deals.onGoing.id),
            has(deals.soldOut.id),
            lacks(deals.approved.id),
          ),
        ),
      ),
  ),
  step(
    '4.2',
    'lists deals of all regions with two fields',
    () => named('GET', LIST, { query: { fields: 'id,title' } }),
    succeeds(pageV3(all(listOf(namedFields({ id: filled, title: filled })), notEmpty))),
  ),
  step(
    '4.2',
    'names sub-fields',
    (known) => named('GET', LIST, { query: { fields: 'id,images[small,large]', filter: home(known) } }),
    succeeds(
      pageV3(
        all(
          listOf(namedFields({ id: filled, images: namedFields({ small: absoluteUrl, large: absoluteUrl }) })),
          notEmpty,
        ),
      ),
    ),
  ),
  step(
    '4.2',
    'names sub-fields of locations',
    (known) => named('GET', LIST, { query: { fields: 'id,locations[address,phone]', filter: home(known) } }),
    succeeds(
      pageV3(
        listOf(
          namedFields({
            id: filled,
            locations: listOf(namedFields({ address: object({ address_id: filled }, 'open'), phone: text })),
          }),
        ),
      ),
    ),
  ),
  step(
    '2.3',
    'asks for the state',
    (known) => named('GET', LIST, { query: { fields: 'id,state', filter: home(known) } }),
    succeeds(pageV3(all(listOf(namedFields({ id: filled, state: exactly('in-flight') })), notEmpty))),
  ),
  step(
    '2.3',
    'asks for the image fields of v1, which are absent',
    (known) =>
      named('GET', LIST, {
        query: { fields: 'id,image_url,image_url_abs,primary_image', filter: home(known) },
      }),
    anyOf(succeeds(pageV3(listOf(namedFields({ id: filled })))), refused()),
  ),
];

const sorts: readonly Step[] = [
  ...(['start_at', 'end_at'] as const).flatMap((key) =>
    (['asc', 'desc'] as const).map((direction) =>
      step(
        '4.2',
        `sorts by ${key}(${direction})`,
        (known) =>
          named('GET', LIST, { query: { fields: `id,${key}`, sort: `${key}(${direction})`, filter: home(known) } }),
        succeeds(
          pageV3(
            all(
              listOf(namedFields({ id: filled, [key]: isoUtc })),
              sortedBy(key, direction === 'asc' ? 'rising' : 'falling'),
              notEmpty,
            ),
          ),
        ),
      ),
    ),
  ),
  step(
    '4.2',
    'lists deals in the default order, the last end first',
    (known) => named('GET', LIST, { query: { fields: 'id,end_at', filter: home(known) } }),
    succeeds(pageV3(all(sortedBy('end_at', 'falling'), notEmpty))),
  ),
];

const filters: readonly Step[] = [
  filtered('by category', ({ world }) => `category[${world.deals.daily.category}]`, onlyDaily),
  filtered(
    'by categories',
    ({ world: { deals } }) => `category[${deals.daily.category},${deals.onGoing.category}]`,
    both,
  ),
  filtered('by subcategory', ({ world }) => `subcategory[${world.deals.daily.subcategory}]`, onlyDaily),
  filtered(
    'by subcategories',
    ({ world: { deals } }) => `subcategory[${deals.daily.subcategory},${deals.onGoing.subcategory}]`,
    both,
  ),
  filtered('by price >=', (known) => `price>=${price(known)}`, found),
  filtered('by price >', (known) => `price>${price(known)}`, notFound),
  filtered('by price <=', (known) => `price<=${price(known)}`, found),
  filtered('by price <', (known) => `price<${price(known)}`, notFound),
  filtered('by price =', (known) => `price=${price(known)}`, onlyDaily),
  filtered('by a list of prices', (known) => `price[${price(known)},1]`, onlyDaily),
  filtered('by a list of other prices', (known) => `price[${price(known) + 1},${price(known) + 2}]`, notFound),
  filtered('by two bounds of price', (known) => `price>=${price(known)},price<${price(known) + 1}`, onlyDaily),
  filtered(
    'by region',
    home,
    ({ world }) => [
      has(world.deals.daily.id),
      lacks(world.deals.far.id),
      listOf(object({ region_id: exactly(world.regions.home.id) }, 'open')),
    ],
    true,
  ),
  filtered(
    'by regions',
    ({ world: { regions } }) => `region[${regions.home.id},${regions.far}]`,
    ({ world: { deals } }) => [has(deals.daily.id), has(deals.far.id)],
    true,
  ),
  filtered(
    'by city',
    ({ world: { regions } }) => `region_city[${regions.home.city},${regions.home.state}]`,
    ({ world: { deals } }) => [has(deals.daily.id), lacks(deals.far.id)],
    true,
  ),
  filtered(
    'by cities',
    ({ world: { regions } }) =>
      `region_city[[${regions.home.city},${regions.home.state}],[${regions.home.city},${regions.home.state}]]`,
    found,
    true,
  ),
  step(
    '4.2',
    'filters by cities, one of which does not exist',
    ({ world: { regions } }) =>
      named('GET', LIST, {
        query: {
          fields: 'id,region_id',
          filter: `region_city[[${regions.home.city},${regions.home.state}],[Nowhere At All,${regions.home.state}]]`,
        },
      }),
    refused(),
  ),
  filtered(
    'around a place',
    ({ world: { regions } }) => `lat_long[${regions.home.latitude},${regions.home.longitude},5]`,
    ({ world: { deals } }) => [has(deals.daily.id), lacks(deals.far.id)],
    true,
  ),
  filtered(
    'sold-out ones away',
    () => 'sold_out[false]',
    ({ world: { deals } }) => [has(deals.daily.id), lacks(deals.soldOut.id)],
  ),
  filtered(
    'by several conditions, all of which hold',
    ({ world: { deals } }) => `category[${deals.daily.category}],price<=${deals.daily.price},sold_out[false]`,
    ({ world: { deals } }) => [has(deals.daily.id), lacks(deals.onGoing.id), lacks(deals.soldOut.id)],
  ),
  filtered(
    'by conditions that no deal meets together',
    ({ world: { deals } }) => `category[${deals.daily.category}],price<${deals.daily.price},price>${deals.daily.price}`,
    notFound,
  ),
];

/** 2.3: the address of the next page carries these. */
const carries: Check = that('a URL with fields, filter, sort, page and per_page', (value) => {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { searchParams } = new URL(value);
  return ['fields', 'filter', 'sort', 'page', 'per_page'].every((name) => searchParams.has(name));
});

const PAGE = 2;

const nextPages: readonly Step[] = [
  step(
    '2.3',
    'lists a short page, with the URL of the next one',
    (known) =>
      named('GET', LIST, {
        query: { fields: 'id', filter: home(known), sort: 'start_at(asc)', page: '1', per_page: String(PAGE) },
      }),
    succeeds(
      all(
        pageV3(all(listOf(namedFields({ id: filled })), exactLength(PAGE)), 'promised'),
        object({ next_page: carries }, 'open'),
      ),
    ),
    { keep: { 'next page': 'next_page', 'deal of the first page': 'deals.0.id' } },
  ),
  step(
    '2.3',
    'follows the URL of the next page',
    (known) => {
      const { pathname, search } = new URL(known.text('next page'));
      return named('GET', `${pathname}${search}`);
    },
    (known) =>
      succeeds(pageV3(all(listOf(namedFields({ id: filled })), notEmpty, lacks(known.text('deal of the first page'))))),
  ),
  step(
    '4.2',
    'lists deals without fields; the caller should name them',
    (known) => named('GET', LIST, { query: { filter: home(known) } }),
    anyOf(succeeds(object({ deals: listOf(object({}, 'open')), next_page: optional(anything) }, 'open')), refused()),
  ),
];

/** The partner looks at deals with username and password. */
export const dealsV3: readonly Step[] = [...fields, ...sorts, ...filters, ...nextPages];
