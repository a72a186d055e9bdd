import { DealDetails, type DealAsSold, type Details } from '#purchasing';
import type { ResaleOrder, SentResale } from '#purchasing/module';

const DETAILS: Details = {
  type: 'daily-deal',
  state: 'in-flight',
  fulfillment_method: null,
  shipping_address_required: false,
  refundable: true,
};

const SOLD: DealAsSold = {
  title: 'A day at the spa',
  merchant_name: null,
  price: 1_999,
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

/** A catalogue in which every deal has these details. */
export class OneDeal extends DealDetails {
  constructor(private readonly changes: Partial<Details> = {}) {
    super();
  }

  override find(): Promise<Details | undefined> {
    return Promise.resolve({ ...DETAILS, ...this.changes });
  }

  override asSold(): Promise<DealAsSold | undefined> {
    return Promise.resolve(SOLD);
  }
}

/** A reseller's transaction of two units of a deal. */
export function orderOf(deal_id: string, changes: Partial<SentResale> = {}): ResaleOrder {
  const sent: SentResale = {
    deal_id,
    transaction_reference: 'order-1',
    transaction_date: 1_800_000_000_000,
    transaction_amount: 3_500,
    quantity: 2,
    buyer: {
      first_name: 'Grace',
      last_name: 'Hopper',
      address_type: null,
      address1: null,
      address2: null,
      postal_code: null,
      city: null,
      state: null,
      country: null,
      telephone: null,
    },
    ...changes,
  };
  return { deal_id: sent.deal_id, absent: [], sent };
}
