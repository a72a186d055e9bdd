import { afterAll, describe, it } from '@jest/globals';
import { discardLeftovers, newDataDir } from '../../support/running-service.js';
import { patience, size } from '../size.js';
import { killUnderLoad } from './campaign.js';

const KILLS = size('KILLS', 3);

describe('kill -9 under load', () => {
  const dataDir = newDataDir();
  afterAll(discardLeftovers);

  it(
    `D1 D10: after each of ${KILLS} kills everything that was answered is there, and all adds up`,
    () => killUnderLoad(dataDir, KILLS),
    patience(KILLS, 30_000),
  );
});
