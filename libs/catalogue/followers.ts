import { begin, defineFollowers, direct, type Decided, type Directive } from '#kernel';
import { inventory, type SaleTerms } from '#purchasing/model';
import { deal } from './deal/deal.decider.js';
import type { DealEvent } from './deal/deal.events.js';
import { isPrepaid } from './deal/deal.types.js';

/** Every change brings its sale terms to the inventory before the caller gets the answer. */
export const dealFollowers = defineFollowers(deal, {
  // Its inventory may be there before it, with redemption codes.
  'deal-created.v1': (created) => [begin(inventory, created.data.deal_id, termsOf(created))],
  'deal-changed.v1': terms,
  'deal-moved.v1': terms,
});

function terms(event: Decided<DealEvent>): Directive[] {
  return [direct(inventory, event.data.deal_id, termsOf(event))];
}

function termsOf({ data, revision }: Decided<DealEvent>): { readonly type: 'set-terms'; readonly terms: SaleTerms } {
  const { deal_id, state, attributes } = data;
  const { title, type, image, start_at, end_at, current_price, max_per_user, expires_at, expiration_days } = attributes;
  const sale: SaleTerms = {
    deal: { id: deal_id, revision, title, type, image },
    on_sale: isPrepaid(type) && (state === 'approved' || state === 'in-flight'),
    start_at,
    end_at,
    price: current_price ?? 0,
    max_per_user,
    expires_at,
    expiration_days,
  };
  return { type: 'set-terms', terms: sale };
}
