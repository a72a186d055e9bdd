import { afterAll, describe, expect, it } from '@jest/globals';
import { discardLeftovers } from '../support/running-service.js';
import { cardUseCases } from './cards.use-cases.js';
import { crashEverywhere } from './crash-windows.js';

const PATIENCE = 240_000;

describe('a crash after any append of a use case leaves the end state as it was', () => {
  afterAll(discardLeftovers);

  for (const line of cardUseCases) {
    it(
      line.title,
      async () => {
        const crashes = await crashEverywhere(line);
        // Before the append and after it.
        expect(crashes).toBe(2);
      },
      PATIENCE,
    );
  }
});
