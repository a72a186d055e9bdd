import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventsOf } from '../../support/data-folder.js';
import { placesByDeal } from '../../support/places.js';
import { discardLeftovers, RunningService, type Answer } from '../../support/running-service.js';
import { patience, size, tell } from '../size.js';

const DEALS = size('RACES', 10);
const USERS = 64;
const PLACES = 5;

describe('64 users race for the 5 places of a card-linked deal over HTTP', () => {
  let service: RunningService;
  let key: string;
  let users: readonly string[];

  beforeAll(async () => {
    service = await RunningService.start();
    ({ key } = await service.newPartner('racer'));
    users = await Promise.all(
      Array.from({ length: USERS }, (_, index) => service.newUser(key, `user-${index}@example.org`)),
    );
  });
  afterAll(discardLeftovers);

  /** The ids of the links that were made. Every other answer must be the refusal that the rules foresee. */
  function made(answers: readonly Answer[]): readonly string[] {
    return answers.flatMap(({ status, text, body }) => {
      if (status === 200) return [body.card_link.id as string];
      if (status !== 422 || body.error_type !== 'update_failed') throw new Error(`${status} ${text}`);
      return [];
    });
  }
  const link = (user_id: string, deal_id: string): Promise<Answer> =>
    service.ask('POST', '/card_links', { key, body: { user_id, deal_id } });
  const change = (id: string, to: 'link' | 'unlink'): Promise<Answer> =>
    service.ask('PUT', `/card_links/${id}/${to}`, { key });

  it(
    `4.13 E4: exactly 5 are linked to each of ${DEALS} deals, also while places become free`,
    async () => {
      let freed = 0;
      for (let index = 0; index < DEALS; index += 1) {
        const deal = `race-${index}`;
        await service.newDeal(deal, { type: 'card-linked', max_linkage: PLACES });
        const first = await Promise.all(users.map((user) => link(user, deal)));
        const ids = made(first);
        expect(ids).toHaveLength(PLACES);
        const leaving = ids.slice(0, 1 + (index % PLACES));
        freed += leaving.length;
        const losers = users.filter((_, at) => first[at]?.status !== 200);
        // Some of the losers come before a place is free.
        const [, ...second] = await Promise.all([
          Promise.all(leaving.map((id) => change(id, 'unlink'))),
          ...losers.map((user) => link(user, deal)),
        ]);
        const third = await Promise.all([
          ...losers.filter((_, at) => second[at]?.status !== 200).map((user) => link(user, deal)),
          ...leaving.map((id) => change(id, 'link')),
        ]);
        expect(made(second).length + made(third).length).toBe(leaving.length);
      }
      await service.stop();
      const deals = placesByDeal(await eventsOf(service.dataDir));
      expect(deals.size).toBe(DEALS);
      for (const [deal, places] of deals) {
        expect([deal, Math.max(...places), places.at(-1)]).toEqual([deal, PLACES, PLACES]);
      }
      tell('RACES', `${DEALS} deals, ${USERS * DEALS} callers, ${freed} places taken again`);
    },
    patience(DEALS, 10_000),
  );
});
