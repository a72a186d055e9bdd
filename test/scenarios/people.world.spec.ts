import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { copyOf } from '../support/data-folder.js';
import { discardLeftovers, RunningService } from '../support/running-service.js';
import { workDone } from '../support/work-done.js';
import { crashTests } from './crash-tests.js';
import { NEW, OLD, oneUser, peopleUseCases, type Person } from './people.use-cases.js';

const PATIENCE = 600_000;

afterAll(discardLeftovers);

crashTests(peopleUseCases);

describe('a change of e-mail address that a crash cut off and nobody repeats', () => {
  // At one address, so that a start writes nothing: another one is another form of answers.
  const env = { SPLIT_APPENDS: 'true', PUBLIC_URL: 'https://deals.example' };
  let prepared: Person;
  let before = '';
  beforeAll(async () => {
    const service = await RunningService.start({ env });
    prepared = await oneUser(service);
    await workDone(service);
    await service.kill();
    before = service.dataDir;
  });

  it.each([1, 2, 3])(
    'E1: after append %i gives the user the new address and frees the old one',
    async (appends) => {
      const { key, userId } = prepared;
      const dataDir = copyOf(before);
      const doomed = await RunningService.start({ dataDir, env: { ...env, FAILPOINT: `log.append=${appends}` } });
      const body = { email: NEW, last_name: 'Lee' };
      await expect(doomed.ask('PUT', `/users/${userId}`, { key, body })).rejects.toThrow();
      await doomed.ended();

      const service = await RunningService.start({ dataDir, env });
      const answers = async (email: string): Promise<number> =>
        (await service.ask('POST', '/users', { key, body: { email } })).status;
      // The followers of the new address's decision are due after 5 s, and their followers a minute later.
      for (const seconds of [6, 61, 6]) {
        await service.forward(seconds);
        await workDone(service);
      }
      expect(await answers(NEW)).toBe(422);
      expect(await answers(OLD)).toBe(200);
      const { user } = (await service.ask('GET', `/users/${userId}`, { key })).body;
      expect(user).toMatchObject({ firstname: 'Ann', lastname: appends === 3 ? 'Lee' : null });
      await service.kill();
    },
    PATIENCE,
  );
});
