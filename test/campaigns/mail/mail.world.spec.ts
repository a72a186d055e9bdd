import { afterAll, describe, it } from '@jest/globals';
import { discardLeftovers, newDataDir } from '../../support/running-service.js';
import { patience, size } from '../size.js';
import { sendThroughKills } from './campaign.js';

const RECIPIENTS = size('MAIL', 60);
const KILLS = size('MAIL_KILLS', 2);
/** Milliseconds that the mail server takes for each mail. */
const DELAY = 20;

describe('kill -9 while a batch is sent', () => {
  afterAll(discardLeftovers);

  it.each([
    ['got one mail, and the batch is processed', KILLS, false],
    ['got one mail but one, whom the server refuses: that is recorded, and the batch has failed', 1, true],
  ])(
    `F4, 3.5: each of ${RECIPIENTS} recipients has %s`,
    async (_, kills, refusesOne) => {
      await sendThroughKills({ dataDir: newDataDir(), recipients: RECIPIENTS, kills, delay: DELAY, refusesOne });
    },
    patience(RECIPIENTS + KILLS * 30, 1_000),
  );
});
