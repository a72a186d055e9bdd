import { describe, expect, it } from '@jest/globals';
import { dealListingView } from '../deal-listing.view.js';
import { DEAL_FIELDS } from './deal-fields.js';
import { readSort } from './sort.js';

const UNSORTABLE = [
  'locations',
  'shipping_address_required',
  'tags',
  'images',
  'sold_out',
  'redemption_url',
  'region',
  'soldout',
];
const REFUSAL = 'sort= value is not allowed as a sorting option';

describe('4.2: the order of a list', () => {
  it('is the latest end first by default', () => {
    expect(readSort(undefined)).toEqual({ regionName: undefined, by: [{ field: 'end_at', descending: true }] });
  });

  it('B4: can be by any String, Integer or Date of 2.3, and by price, and by nothing else', () => {
    for (const name of Object.keys(DEAL_FIELDS)) {
      if (UNSORTABLE.includes(name)) expect(() => readSort(`${name}(asc)`)).toThrow(REFUSAL);
      else {
        const { by, regionName } = readSort(`${name}(desc)`);
        expect(by.length + (regionName === undefined ? 0 : 1)).toBe(name === 'state' ? 0 : 1);
        for (const { field, descending } of by) {
          expect(descending).toBe(true);
          expect(field === 'key' || dealListingView.fields[field].kind === 'value').toBe(true);
        }
      }
    }
  });

  it.each([
    ['price(asc)', undefined, ['current_price']],
    ['price(desc),id(asc)', undefined, ['-current_price', 'key']],
    [' price(asc) , price(desc) , starting_price(desc) ', undefined, ['current_price']],
    ['region_name(desc),value(asc)', 'desc', ['value']],
    ['state(asc),region_name(asc)', 'asc', []],
    ['region_name(asc),region_name(desc)', 'asc', []],
    ['category_id(asc),subcategory_id(desc)', undefined, ['category_slug', '-subcategory_slug']],
    ['purchase_url(asc),show_url(asc)', undefined, ['purchase_path', 'key']],
  ])('is by one attribute after another: %s', (text, regionName, by) => {
    const read = readSort(text);
    expect(read.regionName).toBe(regionName);
    expect(read.by.map(({ field, descending }) => (descending ? '-' : '') + field)).toEqual(by);
  });

  it.each([
    'price',
    'price()',
    'price(up)',
    'price(ASC)',
    'price asc',
    'price(asc)x',
    'price(asc),',
    ',price(asc)',
    'colour(asc)',
    'constructor(asc)',
    'images[small](asc)',
    'price(asc),region_name(asc)',
    '(asc)',
    ' ',
  ])('B5: is refused: %s', (text) => {
    expect(() => readSort(text)).toThrow(REFUSAL);
  });
});
