import type { DealEvent, RegionEvent } from '#catalogue/model';
import { defineWords } from './phrase.js';
import { joined, money, said } from './plain.js';

/** The words of deals. */
export const dealWords = defineWords<DealEvent>('Deals', 'Stream `deal-<deal>`.', {
  'deal-created.v1': {
    what: 'A deal exists.',
    line: ({ deal_id, state, attributes: { title, current_price } }) =>
      `${said(deal_id)} was made, ${state}: ${said(title)}, ${priceOf(current_price, 'without a price')}`,
  },
  'deal-changed.v1': {
    what: 'Attributes of the deal changed. `changed` names them.',
    line: ({ deal_id, attributes, changed }) => {
      const others = changed.filter((name) => name !== 'current_price');
      if (others.length === changed.length) return `${said(deal_id)}: ${joined(others)} changed`;
      const price = `${said(deal_id)}: current_price is ${priceOf(attributes.current_price, 'not set')} now`;
      return others.length === 0 ? price : `${price}; ${joined(others)} changed too`;
    },
  },
  'deal-moved.v1': {
    what: 'The deal moved through its workflow.',
    line: ({ deal_id, state, from, reason }) =>
      `${said(deal_id)} moved from ${from} to ${state}${reason === null ? '' : `: ${said(reason)}`}`,
  },
});

const priceOf = (price: number | null, none: string): string => (price === null ? none : money(price));

/** The words of regions. */
export const regionWords = defineWords<RegionEvent>('Regions', 'Stream `region-<region>`.', {
  'region-set.v1': {
    what: 'A region was made or changed.',
    line: ({ id, name, time_zone, active }) =>
      `region ${said(id)} is ${said(name)} in ${time_zone}, ${active ? 'active' : 'not active'}`,
  },
});
