import { describeOnEmbedded } from '../support/on-embedded.js';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createHttpApp, openService, readConfig, realSurroundings } from '#platform';
import { remove } from '../support/data-folder.js';
import { thisMachine } from '#adapters/machine';
import { newDataDir, RunningService } from '../support/running-service.js';

describeOnEmbedded('the v3 password of a partner', () => {
  const dataDir = newDataDir();
  let operatorToken: string;
  let made: Readonly<Record<'id' | 'username' | 'password', string>>;
  let service: Awaited<ReturnType<typeof openService>>;
  let app: Awaited<ReturnType<typeof createHttpApp>>;

  beforeAll(async () => {
    const before = await RunningService.start({ dataDir });
    operatorToken = before.operatorToken;
    const { partner, username, password } = await before.operate('POST', '/partners', { name: 'Acme', slug: 'acme' });
    made = { id: partner.id, username, password };
    await before.stop();
    const config = readConfig({ DATA_DIR: dataDir });
    const logger = pino({ level: 'silent' });
    service = await openService(config, logger, realSurroundings(thisMachine));
    service.initialized = true;
    app = await createHttpApp(service, logger, config);
    while ((await app.inject('/health/ready')).statusCode !== 200) await pause(20);
  });
  afterAll(async () => {
    await app.close();
    await service.close();
    remove(dataDir);
  });

  const caller = async (password: string): Promise<unknown> =>
    service.partnerPasswords.find(made.username, password).then((found) => found?.credential);
  const replace = async (): Promise<string> => {
    const answer = await app.inject({
      method: 'POST',
      url: `/operators/partners/${made.id}/password`,
      headers: { authorization: `Bearer ${operatorToken}` },
    });
    return answer.json<{ password: string }>().password;
  };

  it('A4, G2: stops at once when it is replaced, and the new one then works', async () => {
    expect(await caller(made.password)).toBe(`v3:${made.id}`);
    expect(await service.partnerPasswords.find('nobody', made.password)).toBeUndefined();
    let { password } = made;
    for (let round = 0; round < 20; round += 1) {
      // Several calls look it up while it is replaced: no call may cache it afterwards.
      const old = password;
      let going = true;
      const asking = Promise.all(
        Array.from({ length: 4 }, async () => {
          while (going) {
            await caller(old);
            await pause(0);
          }
        }),
      );
      try {
        const next = await replace();
        expect([await caller(password), await caller(next)]).toEqual([undefined, `v3:${made.id}`]);
        password = next;
      } finally {
        going = false;
        await asking;
      }
    }
  });
});
