import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readLedger } from '#adapters/sandbox-gateway';
import { onceCaughtUp } from '../../support/caught-up.js';
import { DECLINED_CARD, storeCard } from '../../support/cards.js';
import { eventsOf } from '../../support/data-folder.js';
import { expectSoundCertificates } from '../../support/deal-certificates.js';
import { discardLeftovers, RunningService, type TestPartner } from '../../support/running-service.js';
import { expectSoundLog, unitsByDeal } from '../../support/sound-log.js';
import { patience, size, tell } from '../size.js';
import { perUser } from './buyers.js';
import { FourWayShop, raceFourWays, WAYS, type Buyer, type KnownUser, type Try, type Way } from './four-ways.js';

const DEALS = size('RACES', 20);
const BUYERS = 64;
const UNITS = 5;

/** Two kinds of scarcity: many users who may buy once, and so few that they can barely buy everything. */
const KINDS = [
  { max_per_user: 1, known: 24, fresh: 8 },
  { max_per_user: 2, known: 2, fresh: 1 },
] as const;

/** The ways of buyers whose user exists, in turn. */
const OF_KNOWN = ['reservation', 'stored card', 'full', 'reseller'] as const;

/** Of every eight buyers, those whose cards decline. */
const DECLINING = [2, 5];

describe('64 buyers race for the 5 units of a deal in all four ways of buying', () => {
  let service: RunningService;
  let partner: TestPartner;
  let basic: string;
  let users: KnownUser[];

  beforeAll(async () => {
    // Cheap hashes, and any number of declines: the race is about neither.
    service = await RunningService.start({ env: { ARGON2_MEMORY: '8', ARGON2_TIME: '1', DECLINES_PER_HOUR: '0' } });
    partner = await service.newPartner('racer');
    basic = `racer:${(await service.operate('POST', `/partners/${partner.id}/password`)).password}`;
    users = [];
    for (let index = 0; index < 24; index += 1) {
      const id = await service.newUser(partner.key, `user-${index}@example.org`);
      const good = await storeCard(service, partner.key, id);
      users.push({ id, good, declining: await storeCard(service, partner.key, id, DECLINED_CARD) });
    }
  });
  afterAll(discardLeftovers);

  /** Buyers of one user are neighbours and buy in different ways, so that they get in each other's way. */
  function buyersOf(deal: string, { known, fresh }: (typeof KINDS)[number]): Buyer[] {
    const all = [
      ...users.slice(0, known),
      ...Array.from({ length: fresh }, (_, index) => `${deal}-${index}@example.org`),
    ];
    return Array.from({ length: BUYERS }, (_, index) => {
      const user = all[Math.floor((index * all.length) / BUYERS)] ?? '';
      const way = typeof user === 'string' ? 'full, new user' : (OF_KNOWN[index % OF_KNOWN.length] ?? 'full');
      if (way === 'reseller') return { way, reference: `${deal}-${index}` };
      return { way, user, declining: way !== 'reservation' && DECLINING.includes(index % 8) };
    });
  }

  it(
    `4.6 4.6.1 4.6.2 4.7 D1 D2 D3 D4 D6 D7 D11 G7.4: exactly 5 are sold in each of ${DEALS} deals, nobody has more than max_per_user, and the money agrees`,
    async () => {
      const shop = new FourWayShop(service, partner, basic);
      const yes: { deal: string; way: Way; id: string }[] = [];
      const tries = new Map<Try['kind'], number>();
      for (let index = 0; index < DEALS; index += 1) {
        const deal = `race-${index}`;
        const kind = KINDS[Math.floor(index / WAYS.length) % KINDS.length] ?? KINDS[0];
        await service.newDeal(deal, { stock: UNITS, max_per_user: kind.max_per_user });
        const first = WAYS[index % WAYS.length] ?? 'full';
        const race = await raceFourWays(shop, deal, buyersOf(deal, kind), UNITS, first);
        expect(race.bought).toHaveLength(UNITS);
        const owners = race.bought.flatMap(({ way, purchase }) =>
          way === 'reseller' ? [] : [String(purchase.user_id)],
        );
        expect(Math.max(0, ...perUser(owners).values())).toBeLessThanOrEqual(kind.max_per_user);
        for (const [result, count] of race.tries) tries.set(result, (tries.get(result) ?? 0) + count);
        for (const { way, purchase } of race.bought) {
          yes.push({ deal, way, id: purchase.id });
          if (way === 'reseller') {
            const [coupon] = purchase.coupons;
            const shown = await onceCaughtUp(() => service.ask('GET', `/api/v3/coupons/${coupon.id}`, { basic }));
            expect([purchase.coupons.length, coupon.state, shown.body]).toEqual([1, 'valid', { coupon }]);
            continue;
          }
          const { body } = await onceCaughtUp(() =>
            service.ask('GET', `/purchases/${purchase.id}`, { key: partner.key }),
          );
          expect(body.purchase).toMatchObject({ user_id: purchase.user_id, coupons: [{ state: 'valid' }] });
          // The answer of POST /purchases has no list of coupons (ruling B6).
          if (way !== 'stored card') expect(purchase.coupons).toEqual(body.purchase.coupons);
        }
      }
      const byWay = WAYS.map((way) => ({ way, sold: yes.filter((each) => each.way === way).length }));
      // Otherwise some way never took part, no card ever declined, or nobody ever reached their limit.
      expect(byWay.filter(({ sold }) => sold === 0)).toEqual([]);
      expect(tries.get('declined')).toBeGreaterThan(0);
      expect(tries.get('over the limit')).toBeGreaterThan(0);
      const deals = Array.from({ length: DEALS }, (_, index) => `race-${index}`);
      await expectSoundCertificates(service, deals);
      await service.stop();

      const events = await eventsOf(service.dataDir);
      expectSoundLog(events);
      const units = unitsByDeal(events);
      for (let index = 0; index < DEALS; index += 1) {
        expect(units.get(`race-${index}`)?.at(-1)).toMatchObject({ stock: UNITS, held: 0, sold: UNITS });
      }
      const soldIn = (type: string): string[] =>
        events.filter((event) => event.type === type).map(({ data }) => (data as { purchase_id: string }).purchase_id);
      const boughtBy = (isWay: (way: Way) => boolean): string[] =>
        yes.flatMap(({ way, id }) => (isWay(way) ? id : [])).sort();
      const byCard = boughtBy((way) => way !== 'reservation' && way !== 'reseller');
      expect(soldIn('purchase-recorded.v1').sort()).toEqual(boughtBy((way) => way === 'reservation'));
      expect(soldIn('purchase-resold.v1').sort()).toEqual(boughtBy((way) => way === 'reseller'));
      expect(soldIn('purchase-charged.v1').sort()).toEqual(byCard);
      const ledger = readLedger(join(service.dataDir, 'sandbox-gateway.jsonl'));
      const charged = ledger.flatMap((line) => (line.kind === 'charge' && line.outcome === 'approved' ? line : []));
      expect(charged.map(({ key }) => key).sort()).toEqual(byCard);
      expect(new Set(charged.map(({ amount }) => amount))).toEqual(new Set([1000]));
      expect(ledger.filter(({ outcome }) => outcome === 'declined')).toHaveLength(tries.get('declined') ?? 0);
      expect(ledger.filter(({ outcome }) => outcome !== 'approved' && outcome !== 'declined')).toEqual([]);
      const soldBy = byWay.map(({ way, sold }) => `${sold} ${way}`).join(', ');
      const cameTo = [...tries].map(([result, count]) => `${count} tries ${result}`).join(', ');
      tell('RACES', `${DEALS} deals, ${yes.length} units sold: ${soldBy}; ${cameTo}; ${shop.overloaded} × 503`);
    },
    patience(DEALS, 15_000),
  );
});
