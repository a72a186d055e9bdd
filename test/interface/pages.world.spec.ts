import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { violationsOf } from '../support/axe.js';
import { Browser } from '../support/browser.js';
import { demoSettings } from '../support/demo.js';
import { describeInBrowser } from '../support/in-browser.js';
import { RunningService, type Json } from '../support/running-service.js';

const PHONE = { width: 360, height: 740, scale: 1, media: 'screen' } as const;

describeInBrowser('pages for people', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await RunningService.start({ env: { DEMO: 'true' } });
  });
  afterAll(() => service.discard());

  const demoDeals = async (): Promise<readonly Json[]> =>
    (await service.look('/deals', demoSettings(service).key)).body.deals as Json[];

  it('H4: a browser shows every deal of the demo, with its picture and without a fault, at both of its addresses', async () => {
    const browser = await Browser.start();
    try {
      for (const { title, show_url, purchase_url } of await demoDeals()) {
        for (const url of [show_url, purchase_url, `${show_url}?utm_source=mail`]) {
          await browser.open(url, PHONE);
          const seen = await browser.ask<object>(`({
              status: performance.getEntriesByType('navigation')[0].responseStatus,
              title: document.querySelector('h1').textContent,
              pictures: [...document.images].map(({ naturalWidth }) => naturalWidth > 0),
              wider: document.documentElement.scrollWidth > innerWidth,
              inputs: document.querySelectorAll('form, button, input, script').length,
            })`);
          expect([url, seen]).toEqual([url, { status: 200, title, pictures: [true], wider: false, inputs: 0 }]);
        }
      }
      expect(browser.complaints).toEqual([]);
      expect(browser.requested.filter((url) => !url.startsWith(service.url))).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it('everybody can read them: WCAG 2 A and AA, by day and by night', async () => {
    const browser = await Browser.start();
    try {
      for (const path of ['/', '/deals/rowing-on-the-charles', '/deals/nothing']) {
        for (const dark of [false, true]) {
          await browser.open(`${service.url}${path}`, { ...PHONE, dark });
          expect([path, dark, await violationsOf(browser)]).toEqual([path, dark, []]);
        }
      }
    } finally {
      await browser.close();
    }
  });
});
