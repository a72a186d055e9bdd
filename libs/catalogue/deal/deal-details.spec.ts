import { describe, expect, it } from '@jest/globals';
import { engineOf } from '../../../test/support/engine-of.js';
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

/** The attributes of a deal by revision; its present state is the last one. */
function detailsOf(revisions: readonly Partial<DealAttributes>[], time_zone?: string) {
  const events = revisions.map((changes, revision) => ({
    stream: 'deal-lunch',
    revision,
    data: { deal_id: 'lunch', state: 'deleted', attributes: { ...ATTRIBUTES, ...changes } },
  }));
  const reads: number[] = [];
  const loop = { read: () => Promise.resolve(events.at(-1)?.data ?? null) };
  const log = {
    readStream(_: string, from: number) {
      reads.push(from);
      return Promise.resolve(events.slice(from, from + 1));
    },
  };
  const codec = { decode: (event: object) => event };
  const regions = { find: () => Promise.resolve(time_zone && { id: 'testland', time_zone }) };
  return { reads, details: new CatalogueDetails(engineOf({ loop, log, codec }).writer, regions as never) };
}

describe('details of a deal', () => {
  it('2.1: show a deal in any state, and are undefined for an unknown deal', async () => {
    const { details } = detailsOf([{}, { fulfillment_method: 'printed', refundable: false }]);
    expect(await details.find('lunch')).toEqual({
      type: 'daily-deal',
      state: 'deleted',
      fulfillment_method: 'printed',
      shipping_address_required: false,
      refundable: false,
    });
    expect(await detailsOf([]).details.find('lunch')).toBeUndefined();
  });

  it('I2, 2.1, 2.4, G3: show a deal as sold, with addresses as lines and the time zone of the region that sold it', async () => {
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
    const sold = { locations, merchant_name: 'Diner', fine_print: 'fine', fine_print_legalese: 'legal' };
    const { details } = detailsOf(
      [
        sold,
        { title: 'Supper', current_price: 700, value: 900, fine_print_legalese: 'law', fulfillment_method: 'printed' },
      ],
      'America/New_York',
    );
    expect(await details.asSold('lunch', 0)).toEqual({
      title: 'Lunch',
      merchant_name: 'Diner',
      price: null,
      value: null,
      description1: null,
      highlights: null,
      instructions: null,
      fine_print: 'fine',
      fine_print_legalese: null,
      locations: [
        { address: ['1 Main St', 'Town, NY 10001', 'United States'], phone: '555', hours: 'Mon 9-5' },
        { address: ['Town', 'United States'], phone: '', hours: '' },
      ],
      image: null,
      time_zone: 'America/New_York',
    });
    const later = { title: 'Supper', price: 700, value: 900, fine_print_legalese: 'law', merchant_name: null };
    expect(await details.asSold('lunch', 1)).toMatchObject(later);
  });

  it('I2: read one event of the log for a deal as sold, once', async () => {
    const { details, reads } = detailsOf([{}, { title: 'Supper' }]);
    for (const title of ['Supper', 'Supper']) expect(await details.asSold('lunch', 1)).toMatchObject({ title });
    expect(reads).toEqual([1]);
    expect(await details.asSold('lunch', 1)).toMatchObject({ time_zone: 'UTC' });
  });

  it('I2: have no deal as sold whose event the log lacks, and ask the log for it again', async () => {
    const { details, reads } = detailsOf([{}]);
    for (let asked = 0; asked < 2; asked += 1) expect(await details.asSold('lunch', 3)).toBeUndefined();
    expect(reads.filter((from) => from === 3)).toHaveLength(2);
  });
});
