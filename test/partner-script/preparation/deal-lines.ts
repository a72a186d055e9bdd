import { type Json } from '../../support/running-service.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A line of an import (G4). */
export type Line = Readonly<Record<string, unknown>>;

/** The regions of the world, and the slug that each deal of it has. */
export const REGION = { home: 'new-york', far: 'los-angeles', crowded: 'everywhere' } as const;
/** Where the deals of the regions are. */
export const PLACE = {
  home: { latitude: 40.7506, longitude: -73.9972 },
  far: { latitude: 34.0522, longitude: -118.2437 },
  /** In the sea, so that no region of a city covers it. */
  crowded: { latitude: 30.5, longitude: -60.5 },
} as const;
/** More than a page, fewer than two (4.1). */
export const CROWDED_DEALS = 120;

export const regionLines: readonly Line[] = [
  { kind: 'region', slug: REGION.home, name: 'New York', time_zone: 'America/New_York', ...PLACE.home, radius: 25 },
  { kind: 'region', slug: REGION.far, name: 'Los Angeles', time_zone: 'America/Los_Angeles', ...PLACE.far, radius: 25 },
  { kind: 'region', slug: REGION.crowded, name: 'Everywhere', time_zone: 'UTC' },
];

type Place = keyof typeof REGION;

/** What operators enter for every deal: all descriptions, texts and identifiers that a deal can have. */
function texts(slug: string, place: Place): Json {
  return {
    title: `Deal ${slug}`,
    region_id: REGION[place],
    image: `/images/${slug}.jpg`,
    affinity_score: 3.5,
    campaign: 'autumn',
    category: 'Leisure',
    subcategory: 'Outings',
    category_id: 9,
    subcategory_id: 91,
    description1: 'Two hours for two.',
    description2: 'A quiet place near the river.',
    fine_print: 'By appointment only.',
    highlights: 'Tea is included.',
    instructions: 'Show the coupon at the door.',
    merchant_name: 'Leisure House',
    merchant_id: 'leisure-house',
    supplier_id: 'house-of-deals',
    robotitle: `Deal ${slug} for feeds`,
    tags: ['calm', 'indoors'],
    max_gift_per_user: 10,
    cost: 700,
    fulfillment_method: 'redemptioncoded',
    locations: [
      {
        address: {
          region: 'NY',
          postal_code: '10001',
          street: '1 Main St',
          locality: 'New York',
          country: 'US',
          ...PLACE[place],
        },
        hours: '9 to 5',
        phone: '212 555 0100',
      },
    ],
  };
}

/** Days before and after now. */
interface Run {
  readonly from: number;
  readonly to: number;
}

const BRIEF: Run = { from: -1, to: 8 };
const LONG: Run = { from: -20, to: 20 };

/** The lines of all deals, for a service whose time is `now`, and its UTC day's midnight. */
export class DealLines {
  constructor(
    private readonly now: number,
    private readonly midnight: number,
  ) {}

  /** A deal that is bought. */
  prepaid(slug: string, price: number, own: Json = {}, run = BRIEF, place: Place = 'home'): Line {
    return {
      ...this.#deal(slug, run, place),
      type: run === LONG ? 'on-going' : 'daily-deal',
      current_price: price,
      value: 2 * price,
      stock: 500,
      max_per_user: 100,
      ...own,
    };
  }

  /** A card-linked deal, which has neither a price nor units. */
  cardLinked(slug: string): Line {
    return {
      ...this.#deal(slug, LONG, 'home'),
      type: 'card-linked',
      fixed_fee: 100,
      incentive_amount: 500,
      max_linkage: 10_000,
      maximum_allowance: 20_000,
      min_spend: 1000,
      num_qualifying: 1,
      offer_construct: '$5 off $10',
      percent_fee: 2,
    };
  }

  /** An affiliate deal, which is free to claim. */
  affiliate(slug: string): Line {
    return { ...this.#deal(slug, LONG, 'home'), type: 'affiliate', redemption_url: 'https://affiliate.example/claim' };
  }

  /** All of them, in-flight if they do not say otherwise. */
  all(): readonly Line[] {
    const tomorrow = (hour: number): string => this.#at(this.midnight + DAY + hour * HOUR);
    return [
      this.prepaid('spa-day', 2500, SPA, { from: -2, to: 9 }),
      this.prepaid('museum-pass', 4000, MUSEUM, LONG),
      this.prepaid('tea-box', 1200, { fulfillment_method: 'shipped', shipping_address_required: true }),
      this.prepaid('concert', 3100, {
        fulfillment_method: 'printed',
        fine_print_legalese: 'Void where prohibited.',
      }),
      ...['lunch-offer', 'coffee-offer', 'taxi-offer'].map((slug) => this.cardLinked(slug)),
      this.affiliate('free-sample'),
      this.prepaid('last-seat', 1500, { stock: 1 }, LONG),
      this.prepaid('only-one', 1700, { stock: 1 }),
      this.prepaid('two-each', 1900, { max_per_user: 2 }),
      this.prepaid('beach-walk', 2100, {}, BRIEF, 'far'),
      this.prepaid('no-refund', 2300, { refundable: false }),
      this.prepaid('soon', 2700, { start_at: tomorrow(6), state: 'approved' }),
      this.prepaid('draft', 2900, { state: 'submitted' }),
      this.prepaid('later', 3300, { start_at: tomorrow(36), state: 'approved' }),
      this.prepaid('tonight', 3500, { end_at: this.#at(this.midnight + 23.5 * HOUR) }),
      ...['in-review', 'rejected', 'paused', 'cancelled', 'deleted'].map((state) =>
        this.prepaid(`deal-${state}`, 3700, { state }),
      ),
      this.prepaid('over', 3900, { state: 'landed' }, { from: -6, to: -1 }),
      ...Array.from({ length: CROWDED_DEALS }, (_, index) => this.#ofCrowd(index)),
    ];
  }

  #ofCrowd(index: number): Line {
    const own = {
      category: 'Sundries',
      subcategory: 'Odds and ends',
      category_id: 5,
      subcategory_id: 51,
      merchant_name: 'Bazaar',
      merchant_id: 'bazaar',
      supplier_id: 'bazaar-supply',
    };
    return this.prepaid(`thing-${index}`, 500 + index, own, { from: -1 - index / 100, to: 6 }, 'crowded');
  }

  #deal(slug: string, { from, to }: Run, place: Place): Line {
    return {
      kind: 'deal',
      slug,
      state: 'in-flight',
      ...texts(slug, place),
      start_at: this.#at(this.now + from * DAY),
      end_at: this.#at(this.now + to * DAY),
      expires_at: this.#at(this.now + (to + 30) * DAY),
    };
  }

  #at(instant: number): string {
    return new Date(instant).toISOString();
  }
}

/** What tells the daily deal from all others. */
export const SPA = {
  title: 'A day at the Hudson spa',
  category: 'Wellness',
  subcategory: 'Massages',
  category_id: 1,
  subcategory_id: 11,
  merchant_name: 'Hudson Spa',
  merchant_id: 'hudson-spa',
  supplier_id: 'river-supply',
  marketplace_slug: 'market-spa-day',
};

/** What tells the on-going deal from the others. */
export const MUSEUM = {
  title: 'A year in the museums',
  category: 'Culture',
  subcategory: 'Museums',
  category_id: 2,
  subcategory_id: 21,
  merchant_name: 'Museum Mile',
  merchant_id: 'museum-mile',
  supplier_id: 'park-supply',
};
