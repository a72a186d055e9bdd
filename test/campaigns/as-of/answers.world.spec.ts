import { afterAll, describe, expect, it } from '@jest/globals';
import { different } from '../../support/answered.js';
import { isCluster, sharedEngines } from '../../support/cluster.js';
import { orderOf, rebuild, untilState } from '../../support/rebuilding.js';
import { discardLeftovers, RunningService } from '../../support/running-service.js';
import { patience, size, tell } from '../size.js';
import { newerBuild } from './newer-build.js';
import { PartnerAtWork } from './partner-at-work.js';

const ANSWERED = size('ANSWERED', 200);
const WORKERS = 16;
const engines = sharedEngines();
const isSeveral = engines !== undefined && isCluster(engines);
/** Answers that are asked for again at a time. */
const TOGETHER = 8;

describe('G7.2 H6: what partners were answered under load', () => {
  afterAll(discardLeftovers);

  it(
    `is answered again byte for byte: ${ANSWERED} answers, a rebuild, a restart, and a newer build whose answers differ`,
    async () => {
      const env = { PUBLIC_URL: 'https://deals.example' };
      let service = await RunningService.start({ env });
      const { dataDir } = service;
      const partner = await service.newPartner('acme');
      const basic = `acme:${(await service.operate('POST', `/partners/${partner.id}/password`)).password}`;
      const users: string[] = [];
      for (let index = 0; index < 20; index += 1)
        users.push(await service.newUser(partner.key, `user-${index}@example.org`, { first_name: 'Ann' }));
      const deals = ['spa', 'boat', 'tram'];
      // The last one is always nearly sold out.
      for (const [index, slug] of deals.entries()) await service.newDeal(slug, { stock: index === 2 ? 60 : 1_000_000 });
      await service.newDeal('offer', { type: 'card-linked' });
      const acme = new PartnerAtWork(partner, basic, deals, users);

      await acme.work(service, ANSWERED / 4, WORKERS);
      const building = (async () => {
        for (const view of ['purchases', 'deal-listing', 'deals', 'hold-expiry']) {
          const number = await rebuild(service, view);
          await untilState(service, view, number, 'ready');
          expect(await orderOf(service, view, number, 'promote')).toBe(200);
        }
      })();
      await Promise.all([acme.work(service, ANSWERED / 2, WORKERS), building]);
      // Holds run out by the clock alone.
      await service.forward(301);
      await acme.work(service, (3 * ANSWERED) / 4, WORKERS);
      await service.stop();
      // Several processes are started of this build alone.
      const root = isSeveral ? undefined : newerBuild();
      const newer = { dataDir, env: { PUBLIC_URL: 'https://shop.example' }, ...(root !== undefined && { root }) };
      service = await RunningService.start(newer);
      await acme.work(service, ANSWERED, WORKERS);

      const again = async (): Promise<number> => {
        const parts = Array.from({ length: TOGETHER }, (_, nth) =>
          acme.answers.filter((__, index) => index % TOGETHER === nth),
        );
        const found = (await Promise.all(parts.map((part) => different(service, part)))).flat();
        expect(found.slice(0, 3)).toEqual([]);
        return acme.answers.length;
      };
      tell('ANSWERED', `${await again()} answers are the same on the newer build`);
      expect(acme.answers.some(({ text }) => text.includes('"answers":2'))).toBe(!isSeveral);
      expect(acme.answers.some(({ asOf }) => asOf.endsWith('~2'))).toBe(true);
      await service.kill();
      service = await RunningService.start(newer);
      tell('ANSWERED', `and after a kill: ${await again()}`);
      // Shared views are written row by row: a deal that sells may change whenever it is read.
      if (!isSeveral) expect(acme.without).toEqual([]);
      expect(acme.without.filter((call) => call !== 'GET /v1/deals/')).toEqual([]);
      tell('ANSWERED', `${acme.without.length} answers about deals do not say as of when`);
      tell('ANSWERED', `by status: ${JSON.stringify(Object.fromEntries(acme.statuses))}`);
      await service.stop();
    },
    patience(ANSWERED, 300),
  );
});
