import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { shareEngines } from '../../support/cluster.js';
import { discardLeftovers, newDataDir, type RunningService } from '../../support/running-service.js';
import { SharedServers } from '../../support/shared-servers.js';
import { patience, size } from '../size.js';
import { sendThroughKills } from './campaign.js';

const RECIPIENTS = size('MAIL', 60);
const KILLS = size('MAIL_KILLS', 1);
/** Milliseconds that the mail server takes for each mail: so long that two workers have some to share. */
const DELAY = 300;
/** A job whose worker is silent for five seconds goes to another one, which looks every two seconds. */
const SILENCE = 8_000;
/** How long both send after that. */
const TOGETHER = 3_000;

/** Recipients who are not done while a worker is silent. */
const MANY = 1_000;

const servers = await SharedServers.start();

(servers === undefined ? describe.skip : describe)(
  'two workers send a batch, and one of them is silent for a while',
  () => {
    beforeAll(() => {
      if (servers !== undefined) shareEngines(servers);
    });
    afterAll(async () => {
      await discardLeftovers();
      await servers?.stop();
    });

    it(
      `F4: both have the batch for a while, and after ${KILLS} kills each of ${RECIPIENTS} recipients has got one mail`,
      async () => {
        const turns = await sendThroughKills({
          dataDir: newDataDir(),
          recipients: RECIPIENTS,
          kills: KILLS,
          delay: DELAY,
          refusesOne: false,
          meanwhile: silences(),
        });
        // Fewer recipients have all their mails before the silent worker is back.
        if (RECIPIENTS >= MANY) expect(turns).toBeGreaterThan(0);
      },
      patience(RECIPIENTS + KILLS * 60, 2_000),
    );
  },
);

/** Each time another worker is stopped like a machine that sleeps, and goes on when its job is another worker's. */
function silences(): (service: RunningService) => Promise<void> {
  let times = 0;
  return async ({ processes: { workers } }) => {
    const worker = workers[times++ % workers.length];
    worker?.child.kill('SIGSTOP');
    await pause(SILENCE);
    worker?.child.kill('SIGCONT');
    await pause(TOGETHER);
  };
}
