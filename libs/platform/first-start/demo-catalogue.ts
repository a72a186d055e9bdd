import { DAY, type Instant } from '#kernel';

/** The regions of the demo (ruling G9). */
export const DEMO_REGIONS = [
  { id: 'boston', name: 'Boston', time_zone: 'America/New_York', latitude: 42.3601, longitude: -71.0589, radius: 40 },
  {
    id: 'san-francisco',
    name: 'San Francisco',
    time_zone: 'America/Los_Angeles',
    latitude: 37.7749,
    longitude: -122.4194,
    radius: 40,
  },
];

const at = (instant: Instant): string => new Date(instant).toISOString();

/** A deal of every type, on sale since yesterday, as bodies of `PUT /operators/deals/:slug`. */
export function demoDeals(now: Instant): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const window = (days: number): object => ({ start_at: at(now - DAY), end_at: at(now + days * DAY) });
  return {
    'rowing-on-the-charles': {
      ...window(10),
      title: 'An Hour of Rowing for Two on the Charles',
      region_id: 'boston',
      current_price: 2500,
      value: 5000,
      stock: 100,
      max_per_user: 4,
      expires_at: at(now + 120 * DAY),
      category: 'Activities',
      category_id: 1,
      subcategory: 'Water Sports',
      subcategory_id: 11,
      merchant_name: 'Charles Boat House',
      fulfillment_method: 'printed',
      fine_print: 'Weekdays only. Book a day ahead.',
      highlights: 'A double scull, life vests and a short lesson.',
      image: '/images/rowing.svg',
      tags: ['outdoors', 'for-two'],
      locations: [
        {
          address: {
            region: 'MA',
            postal_code: '02114',
            street: '15 David G Mugar Way',
            latitude: 42.3593,
            longitude: -71.0736,
            locality: 'Boston',
            country: 'US',
          },
          phone: '617-555-0139',
        },
      ],
    },
    'ten-yoga-classes': {
      ...window(45),
      title: 'Ten Yoga Classes in the Mission',
      region_id: 'san-francisco',
      current_price: 6900,
      value: 15000,
      stock: 500,
      max_per_user: 2,
      expiration_days: 180,
      category: 'Health',
      category_id: 2,
      subcategory: 'Yoga',
      subcategory_id: 21,
      merchant_name: 'Mission Yoga Rooms',
      fulfillment_method: 'printed',
      image: '/images/yoga.svg',
      tags: ['wellness'],
      locations: [
        {
          address: {
            region: 'CA',
            postal_code: '94110',
            street: '2390 Mission St',
            latitude: 37.7594,
            longitude: -122.4188,
            locality: 'San Francisco',
            country: 'US',
          },
        },
      ],
    },
    'free-coffee-tasting': {
      ...window(30),
      type: 'affiliate',
      title: 'A Free Coffee Tasting',
      region_id: 'san-francisco',
      category: 'Food',
      category_id: 3,
      merchant_name: 'Bay Roasters',
      image: '/images/coffee.svg',
      tags: ['food'],
    },
    'five-dollars-off-lunch': {
      ...window(30),
      type: 'card-linked',
      title: 'Five Dollars off Lunch',
      region_id: 'boston',
      category: 'Food',
      category_id: 3,
      merchant_name: 'Harbor Kitchen',
      incentive_amount: 500,
      min_spend: 2000,
      max_linkage: 1000,
      num_qualifying: 1,
      offer_construct: '$5 off a lunch of $20 or more',
      image: '/images/lunch.svg',
      tags: ['food'],
    },
  };
}
