import { describe, it } from '@jest/globals';
import { CHROMIUM } from './browser.js';

/** Tests that need a browser. Without one on the PATH they are skipped, and a line says so. */
export function describeInBrowser(what: string, tests: () => void): void {
  withBrowser(
    what,
    () => describe(what, tests),
    () => describe.skip(what, tests),
  );
}

/** One test that needs a browser. Without one on the PATH it is skipped, and a line says so. */
export function itInBrowser(what: string, test: () => Promise<void>): void {
  withBrowser(
    what,
    () => it(what, test),
    () => it.skip(what, test),
  );
}

function withBrowser(what: string, run: () => void, skip: () => void): void {
  if (CHROMIUM !== undefined) return run();
  process.stderr.write(`The PATH has no Chromium: DID NOT RUN: ${what}\n`);
  skip();
}
