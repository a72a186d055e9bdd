import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { reserve } from '../../support/buying.js';
import { storeCard } from '../../support/cards.js';
import { eventsOf } from '../../support/data-folder.js';
import { expectSoundCertificates } from '../../support/deal-certificates.js';
import { discardLeftovers, RunningService, type Answer, type TestPartner } from '../../support/running-service.js';
import { expectSoundLog } from '../../support/sound-log.js';
import { patience, size, tell } from '../size.js';

const ROUNDS = Math.ceil(size('RACES', 12) / 4);
const MOST = 3;

describe('a user’s tokens hold while the partner sells to the same user', () => {
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    service = await RunningService.start({ env: { ARGON2_MEMORY: '8', ARGON2_TIME: '1' } });
    acme = await service.newPartner('acme');
    await service.newDeal('three-each', { stock: null, max_per_user: MOST });
  });
  afterAll(discardLeftovers);

  it(
    `I9 D1: in ${ROUNDS} rounds holds, charges and sales together never pass the user’s maximum, and reach it`,
    async () => {
      const { key } = acme;
      const won = { hold: 0, claim: 0, purchase: 0 };
      for (let round = 0; round < ROUNDS; round += 1) {
        const user_id = await service.newUser(key, `u${round}@example.org`);
        const credit_card_id = await storeCard(service, key, user_id);
        const issued = await service.ask('POST', `/users/${user_id}/access_tokens`, {
          key,
          body: { scope: 'all', access: 'read,write', expires_in: 3600 },
        });
        const token = issued.body.access_token.id as string;
        const held = await Promise.all(Array.from({ length: 3 }, () => reserve(service, key, 'three-each')));
        const deal = { deal_id: 'three-each' };
        const calls: Record<keyof typeof won, (() => Promise<Answer>)[]> = {
          hold: Array.from(
            { length: 5 },
            () => () => service.ask('POST', '/purchases/reserve', { token, body: { ...deal, num_bought: 1 } }),
          ),
          claim: held.map(
            ({ id }) =>
              () =>
                service.ask('PUT', `/purchases/${id}/claim`, { key, body: { user_id } }),
          ),
          purchase: Array.from(
            { length: 2 },
            () => () =>
              service.ask('POST', '/purchases', {
                key,
                body: { ...deal, user_id, credit_card_id, quantity: 1, expected_price_per_unit: 1000 },
              }),
          ),
        };
        const mixed = (['hold', 'claim', 'purchase'] as const)
          .flatMap((kind) => calls[kind].map((call) => ({ kind, call })))
          .sort(() => Math.random() - 0.5);
        const answers = await Promise.all(mixed.map(async ({ kind, call }) => ({ kind, answer: await call() })));
        const succeeded = answers.filter(({ answer: { status } }) => status === 200);
        for (const { answer } of answers) expect([200, 409, 422]).toContain(answer.status);
        for (const { kind } of succeeded) won[kind] += 1;
        // Holds of the partner that nobody claimed count for no user.
        expect(succeeded).toHaveLength(MOST);
      }
      tell('RACES', JSON.stringify(won));
      await expectSoundCertificates(service, ['three-each']);
      await service.stop();
      expectSoundLog(await eventsOf(service.dataDir));
    },
    patience(ROUNDS, 2_000),
  );
});
