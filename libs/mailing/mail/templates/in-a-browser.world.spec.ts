import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { batchMail, confirmationMail, dailyUpdateMail, type DealInMail } from './index.js';
import { violationsOf } from '../../../../test/support/axe.js';
import { Browser, type Layout } from '../../../../test/support/browser.js';
import { describeInBrowser } from '../../../../test/support/in-browser.js';

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="840" height="560"><rect width="840" height="560" fill="#1d976c"/></svg>';
const LONG_WORD = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(3);

describeInBrowser('F4, F5, E5: a mail, as its reader sees it', () => {
  let browser: Browser;
  let server: Server;
  let base: string;
  const pages = new Map<string, string>();

  beforeAll(async () => {
    server = createServer(({ url = '' }, response) => {
      const page = pages.get(url);
      if (url === '/picture.svg') response.setHeader('Content-Type', 'image/svg+xml').end(PICTURE);
      else if (page === undefined) response.writeHead(404).end();
      else response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const [end, picture] of [
      ['', `${base}/picture.svg`],
      ['-blocked', `${base}/blocked`],
    ]) {
      const deal: DealInMail & { description: string } = {
        title: 'A day at the spa for two',
        merchant: 'Harbour Spa',
        price: 4_000,
        value: 8_050,
        picture: picture ?? null,
        link: `${base}/deals/spa`,
        description: `Two hours in the baths. ${LONG_WORD}`,
      };
      const many = [deal, { ...deal, picture: null }, { ...deal, title: LONG_WORD, merchant: null, price: null }];
      const unsubscribe = `${base}/m/unsubscribe/${'aB3_-'.repeat(60)}`;
      const firstName = 'Ada';
      pages.set(`/batch${end}`, batchMail({ firstName, deal, unsubscribe }).html);
      pages.set(`/daily${end}`, dailyUpdateMail({ firstName, region: 'Boston', deals: many, unsubscribe }).html);
      const link = `${base}/m/confirm/${'aB3_-'.repeat(60)}`;
      pages.set(`/confirmation${end}`, confirmationMail({ firstName, region: 'Boston', link }).html);
    }
    browser = await Browser.start();
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  const WAYS = ['/batch', '/daily', '/confirmation']
    .flatMap((page) => [page, `${page}-blocked`])
    .flatMap((page) => [320, 640].map((width) => [page, width] as const))
    .flatMap(([page, width]) => [false, true].map((dark) => [page, width, dark ? 'dark' : 'light'] as const));
  const open = (page: string, width: number, scheme = 'light'): Promise<void> => {
    const layout: Layout = { width, height: 800, scale: 1, media: 'screen', dark: scheme === 'dark' };
    return browser.open(`${base}${page}`, layout);
  };
  /** The brightness of the background at a place of the window, 0 to 255. */
  const brightness = (x: number, y: number): Promise<number> =>
    browser.ask(`(() => {
      for (let at = document.elementFromPoint(${x}, ${y}); at !== null; at = at.parentElement) {
        const [r, g, b, a = 1] = getComputedStyle(at).backgroundColor.match(/[\\d.]+/g).map(Number);
        if (a > 0) return (r + g + b) / 3;
      }
      return 255;
    })()`);

  it.each(WAYS)('%s at %i px, %s: fits the window, and everybody can read it (WCAG)', async (page, width, scheme) => {
    await open(page, width, scheme);
    expect(await browser.ask('document.documentElement.scrollWidth')).toBe(width);
    const least = await browser.ask(`Math.min(...[...document.querySelectorAll('[role=article] *')]
      .filter((each) => [...each.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== ''))
      .map((each) => parseFloat(getComputedStyle(each).fontSize)))`);
    expect(least).toBeGreaterThanOrEqual(14);
    expect(await violationsOf(browser)).toEqual([]);
  });

  it('is dark as a whole in dark mode, beside the text too, and light in light mode', async () => {
    for (const page of ['/batch', '/daily', '/confirmation']) {
      for (const [scheme, dark] of [
        ['dark', true],
        ['light', false],
      ] as const) {
        await open(page, 640, scheme);
        for (const x of [5, 320, 635])
          expect([page, scheme, x, (await brightness(x, 30)) < 64]).toEqual([page, scheme, x, dark]);
      }
    }
  });

  it('says everything without pictures too', async () => {
    const text = async (page: string): Promise<string> => {
      await open(page, 640);
      return browser.ask('document.body.innerText');
    };
    for (const page of ['/batch', '/daily', '/confirmation']) {
      const shown = await text(page);
      expect(shown).toMatch(/Hello Ada,/);
      expect(await text(`${page}-blocked`)).toBe(shown);
    }
    expect(await text('/batch-blocked')).toMatch(/spa for two[^]*\$40\.00 for a value of \$80\.50[^]*See the deal/i);
    const alternatives = await browser.ask(
      '[...document.images].map(({ alt, complete, naturalWidth }) => [alt, complete, naturalWidth])',
    );
    expect(alternatives).toEqual([['See the deal', true, 0]]);
  });

  it('asks nobody for anything but the pictures of deals', async () => {
    browser.requested.length = 0;
    for (const page of ['/batch', '/daily', '/confirmation']) await open(page, 640);
    const asked = new Set(browser.requested.map((url) => url.slice(base.length)));
    asked.delete('/favicon.ico');
    expect(asked).toEqual(new Set(['/batch', '/daily', '/confirmation', '/picture.svg']));
  });

  it('has a button that is large enough for a thumb', async () => {
    for (const page of ['/batch', '/confirmation']) {
      await open(page, 320);
      expect(
        await browser.ask('document.querySelector(".button a").getBoundingClientRect().height'),
      ).toBeGreaterThanOrEqual(44);
    }
  });
});
