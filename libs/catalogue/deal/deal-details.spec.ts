import { describe, expect, it } from '@jest/globals';
import { DEAL_DEFAULTS, type DealAttributes } from './deal.attributes.js';
import { CatalogueDetails } from './deal-details.js';

const ATTRIBUTES: DealAttributes = {
  ...DEAL_DEFAULTS,
  title: 'Lunch',
  type: 'daily-deal',
  region_id: 'testland',
  start_at: 1,
  end_at: 2,
};
const ADDRESS = {
  latitude: 1,
  longitude: 2,
  street: null,
  postal_code: null,
  locality: null,
  region: null,
  country: null,
};

describe('details of a deal', () => {
  const find = (given: Partial<DealAttributes> | undefined, time_zone?: string): Promise<unknown> => {
    const state = given && { deal_id: 'lunch', state: 'deleted', attributes: { ...ATTRIBUTES, ...given } };
    const loop = { read: () => Promise.resolve(state ?? null) };
    const region = time_zone && { id: 'testland', time_zone };
    const regions = { find: () => Promise.resolve(region) };
    return new CatalogueDetails({ loop } as never, regions as never).find('lunch');
  };

  it('2.1, 2.4, G3: show a deal in any state, with the time zone of its region and addresses as lines', async () => {
    const full = {
      ...ADDRESS,
      street: '1 Main St',
      postal_code: '10001',
      locality: 'Town',
      region: 'NY',
      country: 'US',
    };
    const locations = [
      { address: full, phone: '555', hours: 'Mon 9-5' },
      { address: { ...ADDRESS, street: ' ', locality: 'Town', country: 'US' }, phone: '', hours: '' },
    ];
    const given = { locations, merchant_name: 'Diner', fulfillment_method: 'printed', fine_print: 'fine' } as const;
    expect(await find(given, 'America/New_York')).toEqual({
      type: 'daily-deal',
      state: 'deleted',
      title: 'Lunch',
      merchant_name: 'Diner',
      value: null,
      description1: null,
      fine_print: 'fine',
      fine_print_legalese: null,
      instructions: null,
      locations: [
        { address: ['1 Main St', 'Town, NY 10001', 'United States'], phone: '555', hours: 'Mon 9-5' },
        { address: ['Town', 'United States'], phone: '', hours: '' },
      ],
      fulfillment_method: 'printed',
      shipping_address_required: false,
      redemption_url: null,
      refundable: true,
      time_zone: 'America/New_York',
    });
  });

  it('2.1: use UTC for an unknown region, and are undefined for an unknown deal', async () => {
    expect(await find({})).toMatchObject({ time_zone: 'UTC' });
    expect(await find(undefined)).toBeUndefined();
  });
});
