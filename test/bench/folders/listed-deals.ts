import { DAY, type Instant } from '#kernel';
import { madeUpDeals, type MadeUpDeal } from '../../campaigns/catalogue/made-up-deals.js';
import type { FolderSpec } from './folder-spec.js';

const HOUR = DAY / 24;
/** Deals that are made up at once. */
const AT_ONCE = 10_000;
/** Made-up deals end within 100 hours: here, each of these hours is so many days. */
const DAYS_PER_HOUR = 36;

/** The made-up deals of a folder: like those of the catalogue's campaign, but on sale for months or years. */
export function* listedDeals({ listed, regions }: FolderSpec, now: Instant): Generator<MadeUpDeal> {
  for (let from = 0; from < listed; from += AT_ONCE) {
    for (const deal of madeUpDeals(Math.min(AT_ONCE, listed - from), now, from + 1)) {
      yield regions === 'four' ? lasting(deal, now) : onSale(lasting(deal, now), now);
    }
  }
}

function lasting(deal: MadeUpDeal, now: Instant): MadeUpDeal {
  const runs = deal.end - Math.max(deal.start, now);
  return { ...deal, end: Math.max(deal.start, now) + (runs / HOUR) * DAYS_PER_HOUR * DAY };
}

/** Every deal of the region is in flight, and has a place near its centre. */
function onSale({ type: _, ...deal }: MadeUpDeal, now: Instant): MadeUpDeal {
  const start = Math.min(deal.start, now - HOUR);
  return { ...deal, state: 'approved', region_id: 'boston', start, current_price: deal.current_price ?? 2_500 };
}
