import { useCase, type UseCase } from './crash-windows.js';
import { expired, released, reserved, type Sale } from './sale.preparations.js';

const claim: UseCase<Sale>['run'] = (client, { key, userId, purchaseId }) =>
  client.send('PUT', `/purchases/${purchaseId}/claim`, { key, body: { user_id: userId } });

/** A claim of every kind of reservation. */
export const claimUseCases: readonly UseCase[] = [
  useCase({ title: '3.2 D3 D10 A11: claim', prepare: reserved, run: claim }),
  useCase({
    title: 'D3 D10: claim units with redemption codes',
    nightly: true,
    prepare: (service) => reserved(service, { redemption_code_pool: ['C-1', 'C-2', 'C-3'] }),
    run: claim,
  }),
  useCase({ title: 'D3: claim after the expiry was recorded', nightly: true, prepare: expired, run: claim }),
  useCase({
    title: 'D3: claim after the deadline, which nobody has recorded',
    env: { TIMERS: 'false' },
    prepare: expired,
    run: claim,
  }),
  useCase({ title: 'D3: claim a released reservation', nightly: true, prepare: released, run: claim }),
];
