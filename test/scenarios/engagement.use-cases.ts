import type { RunningService } from '../support/running-service.js';
import { useCase, type UseCase } from './crash-windows.js';

interface Keeper {
  readonly key: string;
  readonly userId: string;
}

async function keeper(service: RunningService): Promise<Keeper> {
  const { key } = await service.newPartner('acme');
  await service.newDeal('spa');
  for (const slug of ['coffee', 'cake']) await service.newDeal(slug, { type: 'card-linked', incentive_amount: 500 });
  return { key, userId: await service.newUser(key, 'ann@example.org') };
}

/** A user with a card link. */
async function linked(service: RunningService): Promise<{ readonly key: string; readonly id: string }> {
  const { key, userId } = await keeper(service);
  const body = { deal_id: 'coffee', user_id: userId };
  return { key, id: (await service.ask('POST', '/card_links', { key, body })).body.card_link.id };
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
  useCase({
    title: '4.13 E3 A11: link a user to a deal',
    prepare: keeper,
    run: (client, { key, userId }) =>
      client.send('POST', '/card_links', { key, body: { deal_id: 'coffee', user_id: userId } }),
  }),
  useCase({
    title: '4.13 E3 A11: link a user to several deals',
    decisions: 2,
    instantsAlike: true,
    prepare: keeper,
    run: (client, { key, userId }) =>
      client.send('POST', '/card_links', { key, body: { deal_ids: 'coffee,cake', user_id: userId } }),
  }),
  useCase({
    title: '3.3 E4 A11: unlink a user',
    prepare: linked,
    run: (client, { key, id }) => client.send('PUT', `/card_links/${id}/unlink`, { key }),
  }),
  useCase({
    title: '3.3 E4 A11: link a user again',
    prepare: async (service) => {
      const ann = await linked(service);
      await service.ask('PUT', `/card_links/${ann.id}/unlink`, { key: ann.key });
      return ann;
    },
    run: (client, { key, id }) => client.send('PUT', `/card_links/${id}/link`, { key }),
  }),
  useCase({
    title: '4.13 E4 A11: redeem a card link',
    prepare: linked,
    run: (client, { key, id }) =>
      client.send('PUT', `/card_links/${id}/redeem`, {
        key,
        body: {
          transaction_amount: 2500,
          transaction_date: '2026-01-31T12:00:00',
          transaction_reference: 'till-7-4711',
          max_redemption: true,
        },
      }),
  }),
];
