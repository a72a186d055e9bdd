import { signedPart } from '#engagement/module';
import { keyringOf } from '../support/keyring-of.js';
import { signedLink } from '../support/mail-link.js';
import type { RunningService, TestPartner } from '../support/running-service.js';
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

/** Mails come when all is done, and are not compared. */
const NO_MAILS = { env: { TIMERS: 'false' }, mailsApart: true } as const;

/** A user whose ZIP belongs to a region. */
async function reader(service: RunningService): Promise<Keeper & { readonly partner: TestPartner }> {
  const place = { name: 'Boston', time_zone: 'America/New_York', latitude: 42.36, longitude: -71.06, radius: 20 };
  await service.operate('PUT', '/regions/boston', place);
  const partner = await service.newPartner('acme');
  const { key } = partner;
  return { partner, key, userId: await service.newUser(key, 'ann@example.org') };
}

/** A user with a subscription. */
async function subscribed(
  service: RunningService,
): Promise<Keeper & { readonly partner: TestPartner; readonly id: string }> {
  const ann = await reader(service);
  const path = `/users/${ann.userId}/subscriptions`;
  const { subscription } = (await service.ask('POST', path, { key: ann.key, body: { zip: 2114 } })).body;
  return { ...ann, id: subscription.id as string };
}

/** What partners do for users who keep deals. */
export const engagementUseCases: readonly UseCase[] = [
  useCase({
    title: '4.11 E3 A11: save a deal',
    nightly: true,
    prepare: keeper,
    run: (client, { key, userId }) =>
      client.send('POST', '/saved_deals', { key, body: { deal_id: 'spa', user_id: userId } }),
  }),
  useCase({
    title: '4.11 A11: remove a saved deal',
    nightly: true,
    prepare: async (service) => {
      const ann = await keeper(service);
      const body = { deal_id: 'spa', user_id: ann.userId };
      const { saved_deal } = (await service.ask('POST', '/saved_deals', { key: ann.key, body })).body;
      return { key: ann.key, id: saved_deal.id as string };
    },
    run: (client, { key, id }) => client.send('DELETE', `/saved_deals/${id}`, { key }),
  }),
  useCase({
    title: '4.12 E5 A11: subscribe a user',
    nightly: true,
    ...NO_MAILS,
    prepare: reader,
    run: (client, { key, userId }) =>
      client.send('POST', `/users/${userId}/subscriptions`, { key, body: { zip: 2114 } }),
  }),
  useCase({
    title: '4.12 H3 A11: subscribe a user again',
    ...NO_MAILS,
    prepare: async (service) => {
      const ann = await subscribed(service);
      await service.ask('PUT', `/subscriptions/${ann.id}`, { key: ann.key, body: { status: 'inactive' } });
      return ann;
    },
    run: (client, { key, userId }) =>
      client.send('POST', `/users/${userId}/subscriptions`, { key, body: { zip: 2114 } }),
  }),
  useCase({
    title: '4.12 E5 A11: subscribe a user again before they have confirmed',
    nightly: true,
    ...NO_MAILS,
    prepare: subscribed,
    run: (client, { key, userId }) =>
      client.send('POST', `/users/${userId}/subscriptions`, { key, body: { zip: 2114 } }),
  }),
  useCase({
    title: '3.6 A11: set the status of a subscription',
    nightly: true,
    ...NO_MAILS,
    prepare: subscribed,
    run: (client, { key, id }) => client.send('PUT', `/subscriptions/${id}`, { key, body: { status: 'inactive' } }),
  }),
  useCase({
    title: 'E5 A11: confirm a subscription by its link',
    ...NO_MAILS,
    prepare: async (service) => {
      const { partner, id } = await subscribed(service);
      return signedLink(service, partner, 'confirmation', id);
    },
    run: async (client, signed) => {
      await client.send('POST', `/m/confirm/${signed}`);
      return undefined;
    },
  }),
  useCase({
    title: 'H3 A11: end batch mails by their link',
    nightly: true,
    prepare: async (service) => {
      const { userId: id } = await reader(service);
      return signedPart(await keyringOf(service), { kind: 'end-of-batch-mails', id, address: null });
    },
    run: async (client, signed) => {
      await client.send('POST', `/m/unsubscribe/${signed}`);
      return undefined;
    },
  }),
  useCase({
    title: '4.13 E3 A11: link a user to a deal',
    nightly: true,
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
    nightly: true,
    prepare: linked,
    run: (client, { key, id }) => client.send('PUT', `/card_links/${id}/unlink`, { key }),
  }),
  useCase({
    title: '3.3 E4 A11: link a user again',
    nightly: true,
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
