import {
  absoluteUrl,
  all,
  type Check,
  exactLength,
  exactly,
  has,
  lacks,
  length,
  listOf,
  mentions,
  optional,
  sortedBy,
} from './checks.js';
import { dealInEitherForm } from './deal.shapes.js';
import { region } from './shapes.js';
import { anyOf, keyed, refused, type Step, step, succeeds, success } from './step.js';

/** 4.4: status and deals, the earliest start first; B8: and the next page, when there is one. */
function dealsThat(...checks: readonly Check[]): Check {
  return success({
    deals: all(listOf(dealInEitherForm), sortedBy('start_at', 'rising'), ...checks),
    next_page: optional(absoluteUrl),
  });
}

/** 8 */
const DEFAULT_PAGE = 100;
const LONGEST_PAGE = 1000;

/** The partner looks where deals are. */
export const regions: readonly Step[] = [
  step(
    '4.5',
    'lists all regions',
    () => keyed('GET', '/api/v1/regions'),
    ({ world }) => succeeds(success({ regions: all(listOf(region()), has(world.regions.home.id)) })),
  ),
  step(
    '4.5',
    'looks up a region',
    ({ world }) => keyed('GET', `/api/v1/regions/${world.regions.home.id}`),
    ({ world: { regions } }) =>
      succeeds(
        success({
          region: region({ id: exactly(regions.home.id), active: exactly(true), name: exactly(regions.home.name) }),
        }),
      ),
  ),
  step('4.5', 'looks up an unknown region', () => keyed('GET', '/api/v1/regions/no-such-region'), refused()),
  step(
    '4.4',
    'lists the deals of a region by its id',
    ({ world }) => keyed('GET', `/regions/${world.regions.home.id}/deals`, { query: { filter: 'in_flight' } }),
    ({ world: { deals } }) => succeeds(dealsThat(has(deals.daily.id), has(deals.onGoing.id), lacks(deals.far.id))),
  ),
  step(
    '4.4',
    'lists them with the default filter',
    ({ world }) => keyed('GET', `/regions/${world.regions.home.id}/deals`),
    succeeds(dealsThat()),
  ),
  ...['in_flight,current', 'offer', 'current', 'not_bg', 'in_flight,current,not_bg'].map((filter) =>
    step(
      '4.4',
      `lists them with filter ${filter}`,
      ({ world }) => keyed('GET', `/regions/${world.regions.home.id}/deals`, { query: { filter } }),
      succeeds(dealsThat()),
    ),
  ),
  step(
    '4.4',
    'lists the deals of a zip code',
    ({ world }) => keyed('GET', `/regions/${world.regions.home.zip}/deals`, { query: { filter: 'in_flight' } }),
    ({ world }) => succeeds(dealsThat(has(world.deals.daily.id))),
  ),
  step(
    '4.4',
    'lists the deals of a city and state',
    ({ world: { regions } }) =>
      keyed('GET', `/regions/${encodeURIComponent(regions.home.city)},${regions.home.state}/deals`, {
        query: { filter: 'in_flight' },
      }),
    ({ world }) => succeeds(dealsThat(has(world.deals.daily.id))),
  ),
  step(
    '4.4',
    'lists the deals of a region for a user',
    ({ world }) =>
      keyed('GET', `/regions/${world.regions.home.id}/deals`, {
        query: { user_id: world.shopper.userId, filter: 'in_flight' },
      }),
    succeeds(dealsThat()),
  ),
  step('4.4', 'lists the deals of an unknown region', () => keyed('GET', '/regions/no-such-region/deals'), refused()),
];

/** 4.1, with a list that is longer than a page. */
export const pages: readonly Step[] = [
  page({}, exactLength(DEFAULT_PAGE), 'the first page, of the default size'),
  step(
    '4.1',
    'lists the second page, of the default size',
    (known) => keyed('GET', crowded(known.world.regions.crowded.id), { query: { filter: 'in_flight', page: '2' } }),
    ({ world }) => succeeds(dealsThat(exactLength(world.regions.crowded.deals - DEFAULT_PAGE))),
  ),
  page({ page: '1' }, exactLength(DEFAULT_PAGE), 'page 1, which is the default'),
  page({ per_page: '10' }, exactLength(10), 'ten of them'),
  page({ per_page: '10', page: '2' }, exactLength(10), 'the next ten'),
  step(
    '4.1',
    'lists all on one page',
    (known) =>
      keyed('GET', crowded(known.world.regions.crowded.id), {
        query: { filter: 'in_flight', per_page: String(LONGEST_PAGE) },
      }),
    ({ world }) => succeeds(dealsThat(exactLength(world.regions.crowded.deals))),
  ),
  page({ per_page: '100', page: '1000' }, exactLength(0), 'a page behind the last'),
  step(
    '4.1',
    'counts instead of listing',
    (known) => keyed('GET', crowded(known.world.regions.crowded.id), { query: { filter: 'in_flight', count: 'true' } }),
    ({ world }) => succeeds(mentions(world.regions.crowded.deals)),
  ),
  step(
    '4.1',
    'counts; per_page and page are ignored',
    (known) =>
      keyed('GET', crowded(known.world.regions.crowded.id), {
        query: { filter: 'in_flight', count: 'true', per_page: '10', page: '3' },
      }),
    ({ world }) => succeeds(mentions(world.regions.crowded.deals)),
  ),
  step(
    '4.1',
    'asks for more than the longest page',
    (known) =>
      keyed('GET', crowded(known.world.regions.crowded.id), {
        query: { filter: 'in_flight', per_page: String(LONGEST_PAGE + 1) },
      }),
    anyOf(succeeds(dealsThat(length(`at most ${LONGEST_PAGE}`, (items) => items <= LONGEST_PAGE))), refused()),
  ),
];

function crowded(id: string): string {
  return `/regions/${id}/deals`;
}

function page(query: Readonly<Record<string, string>>, deals: Check, does: string): Step {
  return step(
    '4.1',
    `lists ${does}`,
    ({ world }) => keyed('GET', crowded(world.regions.crowded.id), { query: { filter: 'in_flight', ...query } }),
    succeeds(dealsThat(deals)),
  );
}
