import type { RunningService } from '../support/running-service.js';
import { useCase, type UseCase } from './crash-windows.js';

interface Keeper {
  readonly key: string;
  readonly userId: string;
}

async function keeper(service: RunningService): Promise<Keeper> {
  const { key } = await service.newPartner('acme');
  await service.newDeal('spa');
  return { key, userId: await service.newUser(key, 'ann@example.org') };
}

/** What partners do for users who keep deals. */
export const engagementUseCases: readonly UseCase[] = [
  useCase({
    title: '4.11 E3 A11: save a deal',
    prepare: keeper,
    run: (client, { key, userId }) =>
      client.send('POST', '/saved_deals', { key, body: { deal_id: 'spa', user_id: userId } }),
  }),
  useCase({
    title: '4.11 A11: remove a saved deal',
    prepare: async (service) => {
      const ann = await keeper(service);
      const body = { deal_id: 'spa', user_id: ann.userId };
      const { saved_deal } = (await service.ask('POST', '/saved_deals', { key: ann.key, body })).body;
      return { key: ann.key, id: saved_deal.id as string };
    },
    run: (client, { key, id }) => client.send('DELETE', `/saved_deals/${id}`, { key }),
  }),
];
