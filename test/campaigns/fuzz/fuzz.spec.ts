import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TABLE } from '../../interface/conventions.table.js';
import { DocumentedService } from '../../support/documented-service.js';
import { discardLeftovers, type Json } from '../../support/running-service.js';
import { seeded } from '../catalogue/made-up-deals.js';
import { patience, size, tell } from '../size.js';
import { shotAt } from './broken.js';

const SHOTS = size('FUZZ', 1_500);
/** How often each call must have succeeded, of 20 000 requests. */
const SUCCESSES = Math.floor((50 * SHOTS) / 20_000);
const TOGETHER = 8;

describe('requests made from the document, valid and broken', () => {
  let documented: DocumentedService;

  beforeAll(async () => {
    documented = await DocumentedService.start();
  }, 60_000);
  afterAll(discardLeftovers);

  it(
    `A8 A2 G11: ${SHOTS} of them cause no server error and no undocumented answer, and every call succeeds at times`,
    async () => {
      const random = seeded(20_261_121);
      const routes = Object.entries(TABLE);
      const successes = new Map<string, number>();
      const statuses = new Map<number, number>();
      let next = 0;
      const shoot = async (): Promise<void> => {
        while (next < SHOTS) {
          const [route, line] = routes[next % routes.length] ?? routes[0] ?? ['', undefined];
          next += 1;
          if (line === undefined) throw new Error('the table is empty');
          const { sample, options, query } = shotAt(
            await line.sample(documented.world),
            documented.parametersOf(route),
            random,
          );
          const answer = await documented.send(route, line, sample, options, query);
          const shown = { route, sample, options, query, status: answer.status, text: answer.text.slice(0, 300) };
          // A path that became invalid belongs to no call.
          const faults = isNowhere(answer.body) ? [] : documented.faultsOf(route, answer);
          if (answer.status >= 500 || faults.length > 0)
            expect({ ...shown, faults }).toEqual({ ...shown, status: 'below 500', faults: [] });
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          if (answer.status < 300) successes.set(route, (successes.get(route) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: TOGETHER }, shoot));
      expect(documented.service.printed).not.toContain('a call failed');
      // The calls that the table expects to be refused cannot succeed here.
      const rare = routes
        .filter(([, { refused }]) => refused !== true)
        .map(([route]) => [route, successes.get(route) ?? 0] as const)
        .filter(([, count]) => count < SUCCESSES);
      expect(rare).toEqual([]);
      // Otherwise no request was broken.
      expect(statuses.get(422) ?? 0).toBeGreaterThan(SHOTS / 50);
      const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
      tell(
        'FUZZ',
        `${SHOTS} requests to ${routes.length} calls: ${counts.join(', ')}; each that can succeeded ${Math.min(...successes.values())} times at least`,
      );
    },
    patience(SHOTS, 200),
  );
});

function isNowhere(body: Json): boolean {
  return body?.error_msg === 'no such path';
}
