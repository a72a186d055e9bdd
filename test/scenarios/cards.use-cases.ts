import type { RunningService } from '../support/running-service.js';
import { useCase, type UseCase } from './crash-windows.js';

const CARD = { number: '4000000000000028', verification_value: '937', month: '12', year: '2099', zip_code: '02139' };
const SECOND = { ...CARD, number: '5555555555554444' };

interface Holder {
  readonly key: string;
  readonly userId: string;
}

async function holder(service: RunningService): Promise<Holder> {
  const { key } = await service.newPartner('acme');
  return { key, userId: await service.newUser(key, 'ann@example.org') };
}

async function store(service: RunningService, { key, userId }: Holder, card: object): Promise<string> {
  const { body } = await service.ask('POST', '/credit_cards', { key, body: { user_id: userId, ...card } });
  return body.credit_card_id as string;
}

/** The use cases of stored cards, in the order of what they prepare. */
export const cardUseCases: readonly UseCase[] = [
  useCase({
    title: '4.10 D9 A11: store a first card',
    prepare: holder,
    run: (client, { key, userId }) => client.send('POST', '/credit_cards', { key, body: { user_id: userId, ...CARD } }),
  }),
  useCase({
    title: '4.10 A11: make another card the default',
    nightly: true,
    prepare: async (service) => {
      const ann = await holder(service);
      await store(service, ann, CARD);
      return { ...ann, cardId: await store(service, ann, SECOND) };
    },
    run: (client, { key, cardId }) => client.send('PUT', `/credit_cards/${cardId}/default`, { key }),
  }),
  useCase({
    title: 'I13 A11: delete a card',
    prepare: async (service) => {
      const ann = await holder(service);
      return { ...ann, cardId: await store(service, ann, CARD) };
    },
    run: (client, { key, cardId }) => client.send('DELETE', `/credit_cards/${cardId}`, { key }),
  }),
];
