import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventsOf } from '../../support/data-folder.js';
import { expectSoundCertificates } from '../../support/deal-certificates.js';
import { discardLeftovers, RunningService, type Answer } from '../../support/running-service.js';
import { expectSoundLog, unitsByDeal } from '../../support/sound-log.js';
import { patience, size, tell } from '../size.js';
import { perUser, race, type Shop } from './buyers.js';

const DEALS = size('RACES', 10);
const BUYERS = 64;
const UNITS = 5;

/** Two kinds of scarcity: many users who may buy once, and so few that they can barely buy everything. */
const KINDS = [
  { max_per_user: 1, users: 32 },
  { max_per_user: 2, users: 3 },
] as const;

describe('64 buyers race for the 5 units of a deal over HTTP', () => {
  let service: RunningService;
  let key: string;
  let users: string[];

  beforeAll(async () => {
    service = await RunningService.start();
    ({ key } = await service.newPartner('racer'));
    users = [];
    for (let index = 0; index < 32; index += 1) users.push(await service.newUser(key, `user-${index}@example.org`));
  });
  afterAll(discardLeftovers);

  /** True for success, false for the refusal that the rules foresee; anything else ends the test. */
  function granted({ status, text, body }: Answer): boolean {
    if (status === 200) return true;
    if (status !== 422 || body.error_type !== 'cannot_fufill') throw new Error(`${status} ${text}`);
    return false;
  }

  function shop(): Shop {
    return {
      async reserve(deal) {
        const answer = await service.ask('POST', '/purchases/reserve', { key, body: { deal_id: deal, num_bought: 1 } });
        return granted(answer) ? answer.body.purchase.id : undefined;
      },
      claim: async (_deal, reservation, user) =>
        granted(await service.ask('PUT', `/purchases/${reservation}/claim`, { key, body: { user_id: user } })),
      async release(_deal, reservation) {
        expect(granted(await service.ask('PUT', `/purchases/${reservation}/release`, { key }))).toBe(true);
      },
    };
  }

  it(
    `D1 D2 D3 D4 G7.4: exactly 5 are sold in each of ${DEALS} deals, and nobody has more than max_per_user`,
    async () => {
      let refused = 0;
      let released = 0;
      const yes: { deal: string; user: string }[] = [];
      for (let index = 0; index < DEALS; index += 1) {
        const deal = `race-${index}`;
        const kind = KINDS[index % KINDS.length] ?? KINDS[0];
        await service.newDeal(deal, { stock: UNITS, max_per_user: kind.max_per_user });
        const result = await race(shop(), deal, { buyers: BUYERS, users: users.slice(0, kind.users), units: UNITS });
        expect(result.bought).toHaveLength(UNITS);
        expect(Math.max(...perUser(result.bought).values())).toBeLessThanOrEqual(kind.max_per_user);
        refused += result.refused;
        released += result.released;
        yes.push(...result.bought.map((user) => ({ deal, user })));
      }
      // Otherwise nobody ever reached their limit.
      expect(released).toBeGreaterThan(0);
      const deals = Array.from({ length: DEALS }, (_, index) => `race-${index}`);
      await expectSoundCertificates(service, deals);
      await service.stop();

      const events = await eventsOf(service.dataDir);
      expectSoundLog(events);
      const units = unitsByDeal(events);
      for (let index = 0; index < DEALS; index += 1) {
        expect(units.get(`race-${index}`)?.at(-1)).toMatchObject({ stock: UNITS, held: 0, sold: UNITS });
      }
      const recorded = events
        .filter(({ type }) => type === 'purchase-recorded.v1')
        .map(({ data }) => data as { deal: { id: string }; user_id: string });
      expect(recorded.map(({ deal, user_id }) => `${deal.id} ${user_id}`).sort()).toEqual(
        yes.map(({ deal, user }) => `${deal} ${user}`).sort(),
      );
      tell('RACES', `${DEALS} deals, ${yes.length} units sold, ${refused} reservations refused, ${released} released`);
    },
    patience(DEALS, 10_000),
  );
});
