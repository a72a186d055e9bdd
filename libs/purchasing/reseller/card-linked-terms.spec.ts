import { describe, expect, it } from '@jest/globals';
import { START, terms } from '../../../test/support/sale.js';
import { OneDeal } from '../../../test/support/resales.js';
import { noInventory } from '../inventory/inventory.state.js';
import { cardLinkedTerms } from './card-linked-terms.js';

const END = terms().end_at;
const inventory = { ...noInventory, terms: terms() };

describe('C2 D11: a card-linked transaction is recorded', () => {
  it.each<readonly [words: string, state: string, now: number, refusal: string | undefined]>([
    ['while the deal is in flight', 'in-flight', START, undefined],
    ['of an approved deal, which is in flight from its start on', 'approved', START, undefined],
    ['not before its start', 'approved', START - 1, 'the deal does not sell: it starts at 2027-01-15T08:00:00Z'],
    ['up to its end', 'in-flight', END - 1, undefined],
    ['not from its end on', 'in-flight', END, 'the deal does not sell: it ended at 2027-01-19T12:00:00Z'],
    ['not while it is paused', 'paused', START, 'the deal does not sell: it is paused'],
  ])('%s', async (_, state, now, refusal) => {
    const deal = await new OneDeal({ type: 'card-linked', state }).find();
    const { deal: summary, price, expires_at, expiration_days } = terms();
    const read = (): object => cardLinkedTerms(inventory, deal, now);
    if (refusal === undefined) expect(read()).toEqual({ deal: summary, price, expires_at, expiration_days });
    else expect(read).toThrow(expect.objectContaining({ code: 'resale_refused', message: refusal }));
  });

  it('only of a deal that both the inventory and the catalogue know', async () => {
    const unknown = expect.objectContaining({ faults: [{ code: 'unknown_deal' }] });
    expect(() => cardLinkedTerms(inventory, undefined, START)).toThrow(unknown);
    const deal = await new OneDeal({ type: 'card-linked' }).find();
    expect(() => cardLinkedTerms(noInventory, deal, START)).toThrow(unknown);
  });
});
