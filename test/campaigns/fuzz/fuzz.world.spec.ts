import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TABLE, type Line, type Sample } from '../../interface/conventions.table.js';
import { lacking } from '../../support/cluster.js';
import { DocumentedService, type TokenUser } from '../../support/documented-service.js';
import { discardLeftovers, type Answer, type Json } from '../../support/running-service.js';
import { seeded } from '../catalogue/made-up-deals.js';
import { patience, size, tell } from '../size.js';
import { credentialFor, shotAt, spellingFor, whole } from './broken.js';

const SHOTS = size('FUZZ', 1_500);
/** How often each call must have succeeded: once as the table has it, and of 20 000 requests 20 times. */
const SUCCESSES = Math.max(1, Math.floor((20 * SHOTS) / 20_000));
const TOGETHER = 8;
/** Requests with one user's token, which a request may end: it may delete the user. */
const OF_A_TOKEN = 20;

/** Calls that can search by place, which a stand-in for MongoDB may lack. */
const BY_PLACE = /^GET (\/api\/v3)?(\/regions\/.*)?\/deals(\/locate)?$/;

/** A stand-in for MongoDB is so slow that views fall behind: then the service asks its callers to come again (ruling A8). */
const IS_SLOW = lacking().length > 0;

describe('requests made from the document, valid and broken', () => {
  let documented: DocumentedService;

  beforeAll(async () => {
    documented = await DocumentedService.start();
  });
  afterAll(discardLeftovers);

  it('G11: the document has no call without a line of the table, from which the requests are made', () => {
    expect([...documented.operations.keys()].filter((route) => TABLE[route] === undefined)).toEqual([]);
  });

  it(
    `A1 A2 A4 A8 G11: ${SHOTS} of them cause no server error and no undocumented answer, and every call succeeds at times`,
    async () => {
      const random = seeded(20_261_121);
      const routes = Object.entries(TABLE).filter(([route]) => !lacking().includes('near') || !BY_PLACE.test(route));
      const successes = new Map<string, number>();
      const statuses = new Map<number, number>();
      const credentials = new Map<string, number>();
      let next = 0;
      let user: Promise<TokenUser> | undefined;
      let uses = 0;
      /** A request as the table has it, about the user of an access token; a request before it may have deleted the user. */
      const ofTokenUser = async (line: Line): Promise<{ readonly valid: Sample; readonly token: string }> => {
        for (let tries = 1; ; tries += 1) {
          uses += 1;
          user = uses % OF_A_TOKEN === 1 || tries > 1 || user === undefined ? documented.newTokenUser() : user;
          const { token, world } = await user;
          try {
            return { token, valid: await line.sample(world) };
          } catch (error) {
            if (tries === 3) throw error;
          }
        }
      };
      let behind = 0;
      const again = async (): Promise<void> => {
        behind += 1;
        await pause(1_000);
      };
      /** What a line needs beforehand, once the views have caught up. */
      const prepared = async <T>(make: () => Promise<T>): Promise<T> => {
        for (;;) {
          try {
            return await make();
          } catch (error) {
            if (!IS_SLOW || !String(error).includes(' 503 ')) throw error;
            await again();
          }
        }
      };
      const shoot = async (): Promise<void> => {
        while (next < SHOTS) {
          const [route, line] = routes[next % routes.length] ?? routes[0] ?? ['', undefined];
          const isFirst = next < routes.length;
          next += 1;
          if (line === undefined) throw new Error('the table is empty');
          const by = isFirst ? 'right' : credentialFor(line, random);
          const spelling = spellingFor(route, line, random);
          const { valid, token } =
            by === 'access token'
              ? await prepared(() => ofTokenUser(line))
              : { valid: await prepared(async () => line.sample(documented.world)), token: undefined };
          // Nobody here leaves before the end.
          const parameters = documented.parametersOf(route).filter(({ name }) => name !== line.endless);
          const { sample, options, query } = isFirst ? whole(valid) : shotAt(valid, parameters, random);
          const credential =
            by === 'right' ? {} : by === 'access token' ? { key: undefined, token } : documented.credentialNamed(by);
          const send = (): Promise<Answer> =>
            documented.send(route, line, sample, { ...credential, ...options }, query, spelling);
          let answer = await send();
          for (
            ;
            IS_SLOW && answer.status === 503 && answer.headers['retry-after'] !== undefined;
            answer = await send()
          ) {
            expect(documented.faultsOf(route, answer)).toEqual([]);
            await again();
          }
          const shown = { route, by, spelling, sample, options, query, text: answer.text.slice(0, 300) };
          // A path that became invalid belongs to no call.
          const faults = isNowhere(answer.body) ? [] : [...documented.faultsOf(route, answer)];
          const isOpened = answer.status < 300 && line.who !== 'public' && (by === 'wrong' || by === 'none');
          if (isOpened) faults.push(`${route}: it needs a credential`);
          if (answer.status >= 500 || faults.length > 0)
            expect({ ...shown, status: answer.status, faults }).toEqual({ ...shown, status: 'below 500', faults: [] });
          const told = `${by} ${answer.status < 300 ? 'succeeds' : 'is refused'}`;
          credentials.set(told, (credentials.get(told) ?? 0) + 1);
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
      // Otherwise the wrong ones open something, or the tokens open nothing.
      expect(credentials.get('access token succeeds') ?? 0).toBeGreaterThan(SUCCESSES);
      const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
      tell(
        'FUZZ',
        `${SHOTS} requests to ${routes.length} calls: ${counts.join(', ')}; ${behind} sent again after a 503; each that can succeeded ${Math.min(...successes.values())} times at least; ${[
          ...credentials,
        ]
          .map(([told, count]) => `${told}: ${count}`)
          .sort()
          .join(', ')}`,
      );
    },
    patience(SHOTS, IS_SLOW ? 1_000 : 200),
  );
});

function isNowhere(body: Json): boolean {
  return body?.error_msg === 'no such path';
}
