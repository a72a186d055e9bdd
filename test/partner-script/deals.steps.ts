import {
  absoluteUrl,
  all,
  type Check,
  exactly,
  filled,
  has,
  lacks,
  length,
  listOf,
  object,
  optional,
  sortedBy,
  text,
  that,
} from './checks.js';
import { CARD_LINKED, dealV1 } from './deal.shapes.js';
import { notFound } from './error.shapes.js';
import { type Known } from './known.js';
import { keyed, open, refused, type Step, step, succeeds, success } from './step.js';

/** 4.3: status and deals in the v1 shape; B8: and the next page, when there is one. */
function dealsThat(...checks: readonly Check[]): Check {
  return success({ deals: all(listOf(dealV1()), ...checks), next_page: optional(absoluteUrl) });
}

/** 4.3: a list with these parameters, as a JSON object. */
function list(
  does: string,
  parameters: (known: Known) => Readonly<Record<string, unknown>> | undefined,
  deals: (known: Known) => readonly Check[] = () => [],
): Step {
  return step(
    '4.3',
    `lists deals ${does}`,
    (known) => {
      const json = parameters(known);
      return json === undefined ? undefined : keyed('GET', '/v1/deals', { json });
    },
    (known) => succeeds(dealsThat(...deals(known))),
  );
}

function daily({ world }: Known): Known['world']['deals']['daily'] {
  return world.deals.daily;
}

/** A text's middle part, for a partial match. */
function part(whole: string): string {
  return whole.length > 4 ? whole.slice(1, -1) : whole;
}

const everyState = (state: string): Check => listOf(object({ state: exactly(state) }, 'open'));

const lists: readonly Step[] = [
  step('4.3', 'lists deals', () => keyed('GET', '/v1/deals'), succeeds(dealsThat())),
  list(
    'by slug',
    (known) => ({ slug: daily(known).id }),
    (known) => [has(daily(known).id), lacks(known.world.deals.onGoing.id)],
  ),
  list(
    'by marketplace slug',
    (known) => {
      const { marketplaceSlug } = daily(known);
      return marketplaceSlug === undefined ? undefined : { marketplace_slug: marketplaceSlug };
    },
    (known) => [has(daily(known).id)],
  ),
  list(
    'by a part of the title',
    (known) => ({ title: part(daily(known).title) }),
    (known) => [has(daily(known).id)],
  ),
  ...['in-flight', 'approved', 'submitted', 'landed', 'in-review', 'rejected', 'paused', 'deleted'].map((state) =>
    list(
      `in state ${state}`,
      () => ({ state }),
      () => [everyState(state)],
    ),
  ),
  list(
    'in state approved of a region',
    ({ world }) => ({ state: 'approved', region: world.regions.home.id }),
    ({ world: { deals } }) => [everyState('approved'), has(deals.approved.id), lacks(deals.daily.id)],
  ),
  list(
    'in all states',
    ({ world }) => ({ show_all: true, region: world.regions.home.id }),
    ({ world: { deals } }) => [has(deals.daily.id), has(deals.approved.id), has(deals.submitted.id)],
  ),
  list(
    'by a part of the category',
    (known) => ({ category: part(daily(known).category) }),
    (known) => [has(daily(known).id)],
  ),
  list(
    'by a part of the subcategory',
    (known) => ({ subcategory: part(daily(known).subcategory) }),
    (known) => [has(daily(known).id)],
  ),
  list(
    'by a part of the merchant',
    (known) => ({ merchant: part(daily(known).merchant) }),
    (known) => [has(daily(known).id)],
  ),
  list(
    'from a price on',
    (known) => ({ price_min: daily(known).price, region: known.world.regions.home.id }),
    (known) => [has(daily(known).id)],
  ),
  list(
    'above its price',
    (known) => ({ price_min: daily(known).price + 1, region: known.world.regions.home.id }),
    (known) => [lacks(daily(known).id)],
  ),
  list(
    'up to a price',
    (known) => ({ price_max: daily(known).price, region: known.world.regions.home.id }),
    (known) => [has(daily(known).id)],
  ),
  list(
    'below its price',
    (known) => ({ price_max: daily(known).price - 1, region: known.world.regions.home.id }),
    (known) => [lacks(daily(known).id)],
  ),
  list(
    'by region slug',
    ({ world }) => ({ region: world.regions.home.id }),
    ({ world: { deals } }) => [has(deals.daily.id), lacks(deals.far.id)],
  ),
  list(
    'by city and state',
    ({ world: { regions } }) => ({ region: `${regions.home.city}/${regions.home.state}` }),
    (known) => [has(daily(known).id)],
  ),
  list(
    'by zip code',
    ({ world }) => ({ region: world.regions.home.zip }),
    (known) => [has(daily(known).id)],
  ),
  list(
    'by IP address',
    ({ world }) => (world.regions.home.ip === undefined ? undefined : { region: world.regions.home.ip }),
    (known) => [has(daily(known).id)],
  ),
  list(
    'around a place',
    ({ world: { regions } }) => ({
      latitude: String(regions.home.latitude),
      longitude: String(regions.home.longitude),
      radius: 5,
    }),
    ({ world: { deals } }) => [has(deals.daily.id), lacks(deals.far.id)],
  ),
  list(
    'for a user',
    ({ world }) => ({ user: world.shopper.userId, card_links_redeemed: false, region: world.regions.home.id }),
    () => [],
  ),
  list(
    'by supplier',
    (known) => ({ suppliers: [daily(known).supplierId] }),
    (known) => [has(daily(known).id)],
  ),
  list(
    'by suppliers with a comma',
    (known) => ({ suppliers: `${daily(known).supplierId},no-such-supplier` }),
    (known) => [has(daily(known).id)],
  ),
  list(
    'by vendor',
    (known) => {
      const { vendor } = daily(known);
      return vendor === undefined ? undefined : { vendors: [vendor] };
    },
    (known) => [has(daily(known).id)],
  ),
  list('by inventory left', () => ({ num_left: 1 })),
  list(
    'without sold-out ones',
    ({ world }) => ({ exclude_soldout: true, region: world.regions.home.id }),
    ({ world: { deals } }) => [
      has(deals.daily.id),
      lacks(deals.soldOut.id),
      listOf(object({ soldout: exactly(false) }, 'open')),
    ],
  ),
  list('by run dates', (known) => ({ runs_min: known.daysAhead(-60, 0), runs_max: known.daysAhead(60, 0) })),
  list(
    'without card-linked ones',
    ({ world }) => ({ card_links_redeemed: false, region: world.regions.home.id }),
    ({ world: { deals } }) => [has(deals.daily.id), ...deals.cardLinked.map(({ id }) => lacks(id))],
  ),
  list(
    'with several filters at once',
    (known) => ({
      region: known.world.regions.home.id,
      category: daily(known).category,
      price_max: daily(known).price,
      exclude_soldout: true,
    }),
    ({ world: { deals } }) => [has(deals.daily.id), lacks(deals.onGoing.id), lacks(deals.soldOut.id)],
  ),
  step(
    '4.3',
    'gives a latitude without a longitude',
    ({ world }) => keyed('GET', '/v1/deals', { json: { latitude: String(world.regions.home.latitude) } }),
    refused(),
  ),
  step('4.3', 'names an unknown state', () => keyed('GET', '/v1/deals', { json: { state: 'afloat' } }), open),
];

const single: readonly Step[] = [
  step(
    '4.3',
    'looks up a daily deal',
    (known) => keyed('GET', `/deals/${daily(known).id}`),
    (known) =>
      succeeds(
        success({
          deal: dealV1({
            id: exactly(daily(known).id),
            category: exactly(daily(known).category),
            subcategory: exactly(daily(known).subcategory),
            current_price: exactly(daily(known).price),
            merchant_name: exactly(daily(known).merchant),
            region_id: exactly(known.world.regions.home.id),
            region_name: exactly(known.world.regions.home.name),
            soldout: exactly(false),
            state: exactly('in-flight'),
            supplier_id: exactly(daily(known).supplierId),
            title: exactly(daily(known).title),
            type: exactly('daily-deal'),
          }),
        }),
      ),
  ),
  step(
    '4.3',
    'looks it up with the prefix of the version',
    (known) => keyed('GET', `/v1/deals/${daily(known).id}`),
    (known) => succeeds(success({ deal: dealV1({ id: exactly(daily(known).id) }) })),
  ),
  step(
    '2.2',
    'looks up an on-going deal',
    ({ world }) => keyed('GET', `/deals/${world.deals.onGoing.id}`),
    succeeds(success({ deal: dealV1({ type: exactly('on-going') }) })),
  ),
  step(
    '2.1',
    'looks up a card-linked deal',
    ({ world }) => keyed('GET', `/deals/${world.deals.cardLinked[0].id}`),
    succeeds(success({ deal: dealV1({ ...CARD_LINKED, type: exactly('card-linked') }) })),
  ),
  step(
    '2.2',
    'looks up an affiliate deal',
    ({ world }) => keyed('GET', `/deals/${world.deals.affiliate.id}`),
    succeeds(success({ deal: dealV1({ type: filled }) })),
  ),
  step(
    '2.1',
    'looks up a shipped deal',
    ({ world }) => keyed('GET', `/deals/${world.deals.shipped.id}`),
    succeeds(
      success({
        deal: dealV1({ fulfillment_method: exactly('shipped'), shipping_address_required: exactly(true) }),
      }),
    ),
  ),
  step(
    '2.1',
    'looks up a printed deal',
    ({ world }) => keyed('GET', `/deals/${world.deals.printed.id}`),
    succeeds(success({ deal: dealV1({ fulfillment_method: exactly('printed'), fine_print_legalese: text }) })),
  ),
  step(
    '2.1',
    'looks up a sold-out deal',
    ({ world }) => keyed('GET', `/deals/${world.deals.soldOut.id}`),
    succeeds(
      success({ deal: dealV1({ num_left: exactly(0), purchasable_number: exactly(0), soldout: exactly(true) }) }),
    ),
  ),
  step(
    '3.1',
    'looks up an approved deal',
    ({ world }) => keyed('GET', `/deals/${world.deals.approved.id}`),
    succeeds(success({ deal: dealV1({ state: exactly('approved') }) })),
  ),
  step('4.3', 'looks up an unknown deal', () => keyed('GET', '/deals/no-such-deal'), notFound),
  step('4.3', 'looks up an unknown deal with the prefix', () => keyed('GET', '/v1/deals/no-such-deal'), notFound),
];

/** 4.3: the envelope is not shown; somewhere there is a list of deals. */
function located(...checks: readonly Check[]): Check {
  const deals = all(listOf(dealV1()), sortedBy('start_at', 'rising'), ...checks);
  return (body, at) => {
    const list = Array.isArray(body) ? body : Object.values(Object(body)).find((value) => Array.isArray(value));
    return deals(list, `${at} (its list)`);
  };
}

const locate: readonly Step[] = [
  step(
    '4.3',
    'locates deals',
    ({ world: { regions } }) =>
      keyed('GET', '/deals/locate', {
        json: { latitude: regions.home.latitude, longitude: regions.home.longitude, radius: 5 },
      }),
    ({ world: { deals } }) =>
      succeeds(
        located(
          has(deals.daily.id),
          lacks(deals.far.id),
          length('one or more', (deals) => deals > 0),
        ),
      ),
  ),
  step(
    '4.3',
    'locates deals where none are',
    () => keyed('GET', '/deals/locate', { json: { latitude: -48.87, longitude: -123.39, radius: 1 } }),
    succeeds(located(that('an empty list', (list) => Array.isArray(list) && list.length === 0))),
  ),
  ...['latitude', 'longitude', 'radius'].map((missing) =>
    step(
      '4.3',
      `locates deals without ${missing}`,
      ({ world: { regions } }) =>
        keyed('GET', '/deals/locate', {
          json: {
            latitude: regions.home.latitude,
            longitude: regions.home.longitude,
            radius: 5,
            [missing]: undefined,
          },
        }),
      refused(),
    ),
  ),
];

/** The partner looks at deals with their API key. */
export const deals: readonly Step[] = [...lists, ...single, ...locate];
