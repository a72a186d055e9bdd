import { describe, expect, it } from '@jest/globals';
import { inventory, type InventoryCommand, type InventoryEvent } from '#purchasing/model';
import { rowsOf, stateOf, type TableEvent } from '../../../test/support/given-when-then.js';
import { HOLD, START, checkoutOf, claimOf, closeOf, placeOf, returnOf, terms } from '../../../test/support/sale.js';
import { DEAL_DEFAULTS } from './deal.attributes.js';
import { dealListingView, UNLIMITED, type ListedDeal, type ListedField } from './deal-listing.view.js';

type At = readonly [InventoryCommand, number];

function historyOf(...commands: readonly At[]): TableEvent[] {
  const events: InventoryEvent[] = [];
  for (const [command, now] of commands)
    events.push(...inventory.decide(command, stateOf(inventory, events), now, events.length));
  return events.map((event) => ({ ...event, stream: 'inventory-spa-day' }));
}
const begun: readonly At[] = [
  [{ type: 'set-terms', terms: terms() }, START],
  [{ type: 'set-stock', looked: Infinity, units: 9, change_id: 'c' }, START],
  [placeOf('r1', 2), START],
  [placeOf('r2', 3), START + 10],
];
const rowAfter = async (...commands: readonly At[]): Promise<ListedDeal | undefined> =>
  (await rowsOf(dealListingView, historyOf(...commands)))['spa-day'];

describe('a deal in the listing', () => {
  it.each<readonly [string, readonly At[], object]>([
    ['its stock', begun.slice(0, 2), { held: 0 }],
    ['holds', begun, { held: 5 }],
    ['a claim', [...begun, [claimOf('r1', 'ann', 2), START + 20]], { held: 3, sold: 2 }],
    ['a release', [...begun, [{ type: 'release', number: 0, reservation_id: 'r1' }, START + 20]], { held: 3 }],
    ['an expiry', [...begun, [{ type: 'expire-hold', reservation_id: 'r1' }, START + HOLD]], { held: 3 }],
    ['a late claim', [...begun, [claimOf('r1', 'ann', 2), START + HOLD]], { held: 3, sold: 2 }],
    ['a checkout', [...begun, [checkoutOf('p1', 'ann', 2), START]], { held: 7 }],
    ['its charge', [...begun, [checkoutOf('p1', 'ann', 2), START], [closeOf('p1', true), START]], { held: 5, sold: 2 }],
    ['its decline', [...begun, [checkoutOf('p1', 'ann', 2), START], [closeOf('p1', false), START]], { held: 5 }],
    [
      'a unit that came back',
      [...begun, [checkoutOf('p1', 'ann', 2), START], [closeOf('p1', true), START], [returnOf('p1', 'ann', 0), START]],
      { held: 5, sold: 1 },
    ],
    ['a pool', [[{ type: 'add-codes', codes: ['a', 'b'], seen: 0 }, START]], { stock: null, held: 0, codes_left: 2 }],
  ])('has its units after the last event: %s', async (_, commands, units) => {
    expect((await rowAfter(...commands))?.units).toEqual({ stock: 9, sold: 0, codes_left: null, ...units });
  });

  it('is null while only its stock exists', async () => {
    const row = await rowAfter(...begun);
    expect(row?.deal).toBeNull();
    for (const name of ['state', 'region_id', 'current_price', 'category_slug', 'title_text'] as const)
      expect([name, dealListingView.fields[name].of(row as ListedDeal)]).toEqual([name, null]);
    expect(await rowAfter(...begun.slice(0, 1))).toBeUndefined();
  });

  it('has the attributes and units of its events, whichever come first', async () => {
    const attributes = {
      ...DEAL_DEFAULTS,
      title: 'A day at the spa',
      type: 'daily-deal',
      region_id: 'boston',
      start_at: START,
      end_at: START + 1,
      category: 'Cafés & Bars',
      fine_print: 'x'.repeat(300),
      fine_print_legalese: 'small',
      tags: ['spa', 'bg'],
      locations: [{ address: { latitude: 1, longitude: 2 }, hours: '', phone: '' }],
    };
    const event = (changes: object): TableEvent => ({
      stream: 'deal-spa-day',
      type: 'deal-changed.v1',
      data: { deal_id: 'spa-day', state: 'approved', changed: [], attributes: { ...attributes, ...changes } },
    });
    const stock = historyOf(...begun);
    const first = (await rowsOf(dealListingView, [event({}), ...stock]))['spa-day'];
    expect((await rowsOf(dealListingView, [...stock, event({})]))['spa-day']).toEqual(first);
    const field = (row: ListedDeal | undefined, name: ListedField): unknown =>
      dealListingView.fields[name].of(row as ListedDeal);
    expect(
      (
        [
          'id',
          'state',
          'category_slug',
          'category_text',
          'bg',
          'num_left',
          'number_sold',
          'fine_print_legalese',
        ] as const
      ).map((name) => field(first, name)),
    ).toEqual(['spa-day', 'approved', 'cafes-bars', 'Cafés & Bars', true, 4, 0, null]);
    expect(field(first, 'purchase_path')).toBe('spa-day/');
    expect(field(first, 'locations')).toEqual([{ latitude: 1, longitude: 2 }]);
    expect(field(first, 'fine_print')).toHaveLength(256);
    const [alone] = Object.values(await rowsOf(dealListingView, [event({ fulfillment_method: 'printed' })]));
    expect([field(alone, 'num_left'), field(alone, 'fine_print_legalese')]).toEqual([UNLIMITED, 'small']);
  });
});
