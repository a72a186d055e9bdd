import { describe, expect, it } from '@jest/globals';
import { OneDeal, orderOf } from '../../../test/support/resales.js';
import { DealDetails, type Details } from '../ports/deal-details.js';
import { checkResale } from './check-resale.js';
import { RESALE_FIELDS, type ResaleField, type ResaleOrder } from './resale.js';

/** A catalogue without a deal. */
class NoDeal extends DealDetails {
  override find(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
  override asSold(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

const ALWAYS: readonly ResaleField[] = ['deal_id', 'transaction_reference', 'transaction_date', 'transaction_amount'];
const PREPAID: readonly ResaleField[] = [...ALWAYS, 'quantity', 'first_name', 'last_name'];
const inOrder = (fields: readonly ResaleField[]): readonly ResaleField[] =>
  RESALE_FIELDS.filter((field) => fields.includes(field));

describe('4.6.2 D11: an order of a reseller', () => {
  it.each<readonly [words: string, deal: Partial<Details>, required: readonly ResaleField[]]>([
    ['a daily deal', {}, PREPAID],
    ['an on-going deal', { type: 'on-going' }, PREPAID],
    ['a deal that is shipped', { fulfillment_method: 'shipped' }, RESALE_FIELDS],
    ['a deal that needs an address', { shipping_address_required: true }, RESALE_FIELDS],
    ['a card-linked deal', { type: 'card-linked' }, ALWAYS],
  ])('of %s must have what its kind requires, and no more', async (_, deal, required) => {
    const order: ResaleOrder = { deal_id: 'spa', absent: RESALE_FIELDS, sent: undefined };
    const { faults } = await checkResale(new OneDeal(deal), order);
    expect(faults).toEqual(inOrder(required).map((field) => ({ code: 'missing', field })));
  });

  it('learns of an unknown deal together with what is missing in any case', async () => {
    const order: ResaleOrder = { deal_id: 'none', absent: ['quantity', 'transaction_date'], sent: undefined };
    expect((await checkResale(new NoDeal(), order)).faults).toEqual([
      { code: 'missing', field: 'transaction_date' },
      { code: 'unknown_deal' },
    ]);
  });

  it('of a card-linked deal has one unit', async () => {
    const deals = new OneDeal({ type: 'card-linked' });
    expect((await checkResale(deals, orderOf('spa', { quantity: 2 }))).faults).toEqual([{ code: 'more_than_one' }]);
    expect((await checkResale(deals, orderOf('spa', { quantity: 1 }))).faults).toEqual([]);
    expect((await checkResale(new OneDeal(), orderOf('spa', { quantity: 2 }))).faults).toEqual([]);
  });
});
