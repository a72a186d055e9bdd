import { type Writer } from '#eventsourcing';
import type { DealAsSold, DealDetails } from '../ports/deal-details.js';
import { purchase } from '../purchase/purchase.decider.js';
import type { CouponRow } from './coupon.row.js';

const NO_TEXTS: Omit<DealAsSold, 'title'> = {
  merchant_name: null,
  price: null,
  value: null,
  description1: null,
  highlights: null,
  instructions: null,
  fine_print: null,
  fine_print_legalese: null,
  locations: [],
  image: null,
  time_zone: 'UTC',
};

/**
 * The deal of a coupon as it was sold (ruling I2). If the log has lost the deal's event, which an operator has accepted, the
 * purchase still has the title.
 */
export async function dealOfCoupon(
  writer: Writer,
  deals: DealDetails,
  { deal_id, deal_revision, purchase_id }: CouponRow,
): Promise<DealAsSold> {
  const sold = await deals.asSold(deal_id, deal_revision);
  if (sold !== undefined) return sold;
  const bought = await writer.read(purchase, purchase_id);
  return { ...NO_TEXTS, title: bought.status === 'sold' ? bought.made.deal.title : 'Coupon' };
}
