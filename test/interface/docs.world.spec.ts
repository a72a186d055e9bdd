import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { violationsOf } from '../support/axe.js';
import { Browser } from '../support/browser.js';
import { describeInBrowser } from '../support/in-browser.js';
import { RunningService } from '../support/running-service.js';

const SCREEN = { width: 1280, height: 1000, scale: 1, media: 'screen' } as const;
const PHONE = { ...SCREEN, width: 360, height: 740 } as const;

describeInBrowser('the reference page in a browser', () => {
  let service: RunningService;
  let browser: Browser;

  beforeAll(async () => {
    service = await RunningService.start();
    browser = await Browser.start();
  });
  afterAll(async () => {
    await browser.close();
    await service.discard();
  });

  it.each([
    ['by day', SCREEN],
    ['on a phone by night', { ...PHONE, dark: true }],
  ] as const)(
    'is readable for everybody %s: WCAG 2 A and AA',
    async (_, layout) => {
      await browser.open(`${service.url}/docs`, layout);
      await browser.ask('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
      expect(await violationsOf(browser)).toEqual([]);
      expect(await browser.ask('document.documentElement.scrollWidth')).toBe(layout.width);
    },
    900_000,
  );

  it('G11: shows every call, and requests nothing but itself', async () => {
    const { paths } = (await service.ask('GET', '/openapi.json')).body as { paths: Record<string, object> };
    const operations = Object.values(paths).flatMap((each) => Object.keys(each));
    await browser.open(`${service.url}/docs`, SCREEN);
    expect(await browser.ask('document.querySelectorAll("h3 .method").length')).toBe(operations.length);
    expect(new Set(browser.requested.filter((url) => !url.startsWith('data:')))).toEqual(
      new Set([`${service.url}/docs`]),
    );
    expect(browser.complaints).toEqual([]);
  });
});
