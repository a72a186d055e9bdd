import { afterAll, describe, expect, it } from '@jest/globals';
import { discardLeftovers } from '../support/running-service.js';
import { crashEverywhere, type UseCase } from './crash-windows.js';

/** Milliseconds for one use case in the campaign's size. */
const PATIENCE = 600_000;

/** A test for each of these use cases that CI tries. */
export function crashTests(lines: readonly UseCase[]): void {
  testEach(lines.filter(({ nightly }) => nightly !== true));
}

/** A test for each of the others. */
export function nightlyCrashTests(lines: readonly UseCase[]): void {
  testEach(lines.filter(({ nightly }) => nightly === true));
}

function testEach(lines: readonly UseCase[]): void {
  describe('a crash after any append of a use case leads to the same end state', () => {
    afterAll(discardLeftovers);

    for (const line of lines) {
      it(
        line.title,
        async () => {
          const crashes = await crashEverywhere(line);
          // At least before the first append and after the last one.
          expect(crashes).toBeGreaterThanOrEqual(2);
        },
        PATIENCE,
      );
    }
  });
}
