import { useCase, type UseCase } from './crash-windows.js';
import { hold, HOLD, reserved, sold } from './sale.preparations.js';

/** The use cases before and after a claim. */
export const reservationUseCases: readonly UseCase[] = [
  useCase({
    title: 'E1 A11: create a user',
    nightly: true,
    prepare: (service) => service.newPartner('acme'),
    run: (client, { key }) =>
      client.send('POST', '/users', { key, body: { email: 'ann@example.org', first_name: 'Ann', last_name: 'Lee' } }),
  }),
  useCase({
    title: '3.2 D2 A11: reserve',
    prepare: async (service) => {
      await service.newDeal('spa', { stock: 5 });
      return service.newPartner('acme');
    },
    run: (client, { key }) =>
      client.send('POST', '/purchases/reserve', { key, body: { deal_id: 'spa', num_bought: 2 } }),
  }),
  useCase({
    title: 'D1 D2: reserve units of holds past their deadline, whose expiry nobody has recorded',
    env: { TIMERS: 'false' },
    prepare: async (service) => {
      const sale = await reserved(service);
      await hold(service, sale.key, 2);
      await service.forward(HOLD);
      return sale;
    },
    run: (client, { key }) =>
      client.send('POST', '/purchases/reserve', { key, body: { deal_id: 'spa', num_bought: 5 } }),
  }),
  useCase({
    title: '3.2 D4 A11: release',
    nightly: true,
    prepare: reserved,
    run: (client, { key, purchaseId }) => client.send('PUT', `/purchases/${purchaseId}/release`, { key }),
  }),
  useCase({
    title: 'D1: expiry by the clock, through the work list',
    // The clock is moved, then the hold expires.
    decisions: 2,
    prepare: reserved,
    run: async (client, { deadline }) => {
      await client.until(deadline);
      return undefined;
    },
  }),
  useCase({
    title: '3.4 D10 A11: redeem',
    nightly: true,
    prepare: sold,
    run: (client, { key, couponId }) => client.send('PUT', `/coupons/${couponId}/redeem`, { key }),
  }),
];
