import type { RunningService, TestPartner } from '../support/running-service.js';
import { useCase, type UseCase } from './crash-windows.js';

const DAY = 86_400_000;

const region = { name: 'Testland', time_zone: 'America/New_York' };

const nothing = (): Promise<void> => Promise.resolve();
const deal = (service: RunningService): Promise<void> => service.newDeal('spa', { stock: 5 });
const partner = (service: RunningService): Promise<TestPartner> => service.newPartner('acme');

/** The use cases of operators. */
export const administrationUseCases: readonly UseCase[] = [
  useCase({
    title: 'G3: set a region',
    nightly: true,
    prepare: nothing,
    run: (client) => client.operate('PUT', '/regions/testland', region),
  }),
  useCase({
    title: 'G4 D1 D10: create a deal with stock and codes',
    decisions: 3,
    prepare: async (service) => {
      await service.operate('PUT', '/regions/testland', region);
      const { now } = await service.operate('GET', '/clock');
      const at = (days: number): string => new Date(Date.parse(now) + days * DAY).toISOString();
      return { start_at: at(-1), end_at: at(9) };
    },
    run: (client, window) =>
      client.operate('PUT', '/deals/spa', {
        ...window,
        title: 'Spa',
        region_id: 'testland',
        current_price: 1000,
        value: 2000,
        stock: 5,
        redemption_code_pool: ['C-1', 'C-2', 'C-3', 'C-4', 'C-5'],
      }),
  }),
  useCase({
    title: 'G4 D1: change the stock',
    nightly: true,
    prepare: deal,
    run: (client) => client.operate('PUT', '/deals/spa/stock', { units: 7 }),
  }),
  useCase({
    title: 'G4 C1: move a deal to another state',
    nightly: true,
    prepare: deal,
    run: (client) => client.operate('POST', '/deals/spa/transitions', { to: 'paused', reason: 'rain' }),
  }),
  useCase({
    title: 'G2: create a partner',
    secret: true,
    prepare: nothing,
    run: (client) => client.operate('POST', '/partners', { name: 'Acme', slug: 'acme' }),
  }),
  useCase({
    title: 'G2 H4 I10: set a storefront and suspend the partner',
    nightly: true,
    prepare: partner,
    run: (client, { id }) =>
      client.operate('PUT', `/partners/${id}`, {
        storefront_url: 'https://acme.example/{deal_id}',
        suspended: true,
      }),
  }),
  useCase({
    title: 'G2 A4: issue a key',
    nightly: true,
    secret: true,
    prepare: partner,
    run: (client, { id }) => client.operate('POST', `/partners/${id}/keys`),
  }),
  useCase({
    title: 'G2 A4: revoke a key',
    nightly: true,
    prepare: partner,
    run: (client, { id, keyId }) => client.operate('DELETE', `/partners/${id}/keys/${keyId}`),
  }),
];
