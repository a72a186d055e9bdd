import type { Answer, Json, RunningService } from '../support/running-service.js';
import { useCase, type Client, type UseCase } from './crash-windows.js';

interface Reseller {
  /** User name and v3 password. */
  readonly basic: string;
}

interface Resold extends Reseller {
  readonly purchaseId: string;
  readonly coupons: readonly string[];
}

const SALE = {
  deal_id: 'spa',
  quantity: 2,
  transaction_reference: 'order-1',
  transaction_date: '2027-01-31T12:00:00Z',
  transaction_amount: 1_800,
  first_name: 'Ann',
  last_name: 'Lee',
};

/** A partner with a v3 password, and a deal of 5 units. */
async function reseller(
  service: RunningService,
  attributes: Readonly<Record<string, unknown>> = {},
): Promise<Reseller> {
  const { id } = await service.newPartner('acme');
  await service.newDeal('spa', { stock: 5, ...attributes });
  const { password } = await service.operate('POST', `/partners/${id}/password`);
  return { basic: `acme:${password}` };
}

/** The same after a sale of 2 units. */
async function resold(service: RunningService): Promise<Resold> {
  const { basic } = await reseller(service);
  const { body } = await service.ask('POST', '/api/v3/resellers/purchases', { basic, body: SALE });
  return { basic, purchaseId: body.id, coupons: (body.coupons as Json[]).map((coupon) => coupon.id as string) };
}

const sell: UseCase<Reseller>['run'] = (client, { basic }) =>
  client.send('POST', '/api/v3/resellers/purchases', { basic, body: SALE });

const cancel = (client: Client, { basic }: Reseller, coupon = ''): Promise<Answer> =>
  client.send('DELETE', `/api/v3/coupons/${coupon}/cancel`, { basic });

/** Purchases and cancellations of resellers. */
export const resellerUseCases: readonly UseCase[] = [
  useCase({
    title: '4.6.2 D11 D10 A11: the purchase of a reseller, with redemption codes',
    decisions: 2,
    instantsAlike: true,
    prepare: (service) => reseller(service, { redemption_code_pool: ['C-1', 'C-2', 'C-3'] }),
    run: sell,
  }),
  useCase({
    title: '4.6.2 D11 A11: a transaction of a card-linked deal',
    nightly: true,
    prepare: (service) =>
      reseller(service, { type: 'card-linked', current_price: null, value: null, fulfillment_method: null }),
    run: (client, { basic }) =>
      client.send('POST', '/api/v3/resellers/purchases', { basic, body: { ...SALE, quantity: 1 } }),
  }),
  useCase({
    title: '4.7 D12 A11: a reseller cancels a coupon',
    prepare: resold,
    run: (client, partner) => cancel(client, partner, partner.coupons[0]),
  }),
  useCase({
    title: 'D12 A11: a reseller cancels the last coupon',
    nightly: true,
    prepare: async (service) => {
      const sale = await resold(service);
      await service.ask('DELETE', `/api/v3/coupons/${sale.coupons[0] ?? ''}/cancel`, { basic: sale.basic });
      return sale;
    },
    run: (client, partner) => cancel(client, partner, partner.coupons[1]),
  }),
  useCase({
    title: 'D14 G5: an operator refunds the purchase of a reseller',
    nightly: true,
    decisions: 3,
    instantsAlike: true,
    prepare: resold,
    run: (client, { purchaseId }) =>
      client.operate('POST', `/purchases/${purchaseId}/refund`, { reason: 'the spa has closed' }),
  }),
];
