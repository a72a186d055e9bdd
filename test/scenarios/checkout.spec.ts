import { afterAll, describe, expect, it } from '@jest/globals';
import { discardLeftovers } from '../support/running-service.js';
import { crashEverywhere } from './crash-windows.js';
import { checkoutUseCases } from './checkout.use-cases.js';

const PATIENCE = 240_000;

describe('a crash after any append of a use case leaves the end state as it was', () => {
  afterAll(discardLeftovers);

  for (const line of checkoutUseCases) {
    it(
      line.title,
      async () => {
        const crashes = await crashEverywhere(line);
        // Before the first append and after the last one at least.
        expect(crashes).toBeGreaterThanOrEqual(2);
      },
      PATIENCE,
    );
  }
});
