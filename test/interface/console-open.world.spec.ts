import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, CDPSession } from 'playwright-core';
import { buy } from '../support/buying.js';
import { isInFull } from '../support/alone.js';
import { ConsolePage, startChromium } from '../support/console-page.js';
import { describeInBrowser } from '../support/in-browser.js';
import { RunningService, type TestPartner } from '../support/running-service.js';

/** Seconds that the console stands open. The first ones do not count: the page still loads. */
const SECONDS = isInFull ? 15 * 60 : 40;
const FIRST = SECONDS / 4;
/** Milliseconds for all of it, on a busy machine. */
const PATIENCE = (SECONDS + 300) * 1_000;
const CLIENTS = isInFull ? 64 : 8;
/** Looks at the heap. */
const LOOKS = 12;
/** Bytes that the heap may grow beyond what stands there: code that V8 compiles, and one picture more. */
const SLACK = 1_000_000;

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

describeInBrowser('a console that stands open while clients buy', () => {
  let service: RunningService;
  let browser: Browser;
  let acme: TestPartner;
  let isOver = false;

  beforeAll(async () => {
    service = await RunningService.start();
    browser = await startChromium();
    acme = await service.newPartner('acme');
    await service.newDeal('tram', { stock: 1_000_000, max_per_user: null });
  });
  afterAll(async () => {
    isOver = true;
    await browser.close();
    await service.discard();
  });

  const client = async (nth: number): Promise<void> => {
    const user = await service.newUser(acme.key, `user-${nth}@example.com`);
    while (!isOver) {
      await buy(service, acme.key, 'tram', user);
      await pause(0.2);
    }
  };

  /** Bytes that the page holds, once what it has let go is gone. */
  const held = async (session: CDPSession): Promise<number> => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize;
  };

  const holds = async (): Promise<void> => {
    const console = await ConsolePage.open(browser, service);
    await console.signIn(service.operatorToken);
    await console.page.getByRole('img', { name: /^Sales/ }).waitFor();
    const session = await console.page.context().newCDPSession(console.page);
    const clients = Array.from({ length: CLIENTS }, (_, nth) => client(nth));
    await pause(FIRST);
    const looks: number[] = [];
    for (let look = 0; look < LOOKS; look += 1) {
      looks.push(await held(session));
      await pause((SECONDS - FIRST) / LOOKS);
    }
    isOver = true;
    await Promise.all(clients);
    const least = (of: readonly number[]): number => Math.min(...of);
    const [before, after] = [least(looks.slice(0, LOOKS / 3)), least(looks.slice(-LOOKS / 3))];
    expect([looks, after < before + SLACK]).toEqual([looks, true]);
    expect(console.requested.filter((url) => url.endsWith('/console/live'))).toHaveLength(1);
    await console.close();
  };
  it('G13.5: holds no more after a while than at its beginning, and reads one stream', holds, PATIENCE);
});
