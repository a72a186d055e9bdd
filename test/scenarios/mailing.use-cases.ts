import { DAY, utcTime } from '#kernel';
import { timeOf } from '../support/buying.js';
import type { Json, RunningService } from '../support/running-service.js';
import { useCase, type UseCase } from './crash-windows.js';

const BATCHES = '/targeted_email/batches';

interface Mailable {
  readonly key: string;
  readonly body: Json;
}

/** What a batch of two users is made of. */
async function mailable(service: RunningService): Promise<Mailable> {
  const { key } = await service.newPartner('acme');
  await service.newDeal('spa');
  const user_ids = [await service.newUser(key, 'ann@example.org'), await service.newUser(key, 'bob@example.org')];
  const midnight = (Math.floor((await timeOf(service)) / DAY) + 1) * DAY;
  return { key, body: { deal_id: 'spa', user_ids, mode: 'suppress', send_at: utcTime(midnight + DAY / 2) } };
}

/** What partners do with targeted-email batches. */
export const mailingUseCases: readonly UseCase[] = [
  useCase({
    title: '4.14 F3 A11: schedule a batch',
    status: 201,
    prepare: mailable,
    run: (client, { key, body }) => client.send('POST', BATCHES, { key, body }),
  }),
  useCase({
    title: '4.14 F3 A11: cancel a batch',
    nightly: true,
    prepare: async (service) => {
      const { key, body } = await mailable(service);
      return { key, id: (await service.ask('POST', BATCHES, { key, body })).body.batch.id as string };
    },
    run: (client, { key, id }) => client.send('DELETE', `${BATCHES}/${id}?deal_id=spa`, { key }),
  }),
];
