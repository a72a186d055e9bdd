import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { ConsolePage, startChromium } from '../support/console-page.js';
import { describeInBrowser } from '../support/in-browser.js';
import { RunningService, type Json } from '../support/running-service.js';

/** A page that tries to use the session of whoever opens it. It notes everything that it could read. */
const attack = (target: string): string => `<!doctype html><meta charset="utf-8"><title>Win a prize</title>
<iframe id="frame" src="${target}/console/deals"></iframe><script src="${target}/operators/partners"></script>
<img src="${target}/operators/queues"><form id="form" method="post" target="_self" action="${target}/operators/partners">
<input name="name" value="Evil"><input name="slug" value="evil-form"></form>
<script>
const read = [], tried = [];
const json = { 'content-type': 'application/json' };
const body = (slug) => JSON.stringify({ name: 'Evil', slug });
const tries = {
  partners: () => fetch('${target}/operators/partners', { credentials: 'include' }),
  csv: () => fetch('${target}/operators/users?format=csv', { credentials: 'include' }),
  opaque: () => fetch('${target}/operators/partners', { credentials: 'include', mode: 'no-cors' }),
  who: () => fetch('${target}/console/session', { credentials: 'include' }),
  live: () => fetch('${target}/console/live', { credentials: 'include' }),
  json: () => fetch('${target}/operators/partners', { method: 'POST', credentials: 'include', headers: json, body: body('evil-json') }),
  text: () => fetch('${target}/operators/partners', { method: 'POST', credentials: 'include', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: body('evil-text') }),
  form: () => fetch('${target}/operators/partners', { method: 'POST', credentials: 'include', mode: 'no-cors', body: new URLSearchParams({ name: 'Evil', slug: 'evil-urlencoded' }) }),
  beacon: async () => navigator.sendBeacon('${target}/operators/partners', new Blob([body('evil-beacon')], { type: 'text/plain' })),
  remove: () => fetch('${target}/console/session', { method: 'DELETE', credentials: 'include', headers: json, body: '{}' }),
};
addEventListener('load', async () => {
  for (const [name, run] of Object.entries(tries)) {
    try {
      const answer = await run();
      const text = answer && answer.text ? await answer.text() : '';
      if (text !== '') read.push(name + ': ' + text.slice(0, 80));
    } catch { /* The browser let it read nothing. */ }
    tried.push(name);
  }
  const events = new EventSource('${target}/console/live', { withCredentials: true });
  events.onmessage = () => read.push('events');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  events.close();
  try { if (document.getElementById('frame').contentDocument.body.innerText) read.push('frame'); } catch { /* It is of another origin. */ }
  document.title = 'done';
});
</script>`;

/** Texts that a page which forgets to escape would run. */
const SCRIPTS = [
  '<script>globalThis.ran=1</script>',
  '<img src=x onerror=globalThis.ran=2>',
  '<svg onload=globalThis.ran=3>',
  '"><img src=x onerror=globalThis.ran=4>',
  "'><svg/onload=globalThis.ran=5>",
  'javascript:globalThis.ran=6',
  '<a href="javascript:globalThis.ran=7" autofocus onfocus=globalThis.ran=7>x</a>',
  '{{constructor.constructor("globalThis.ran=8")()}}',
  '${globalThis.ran=9}',
  '</title><script>globalThis.ran=10</script>',
  '<iframe srcdoc="<script>parent.ran=11</script>">',
  '<details open ontoggle=globalThis.ran=12>',
  '<input autofocus onfocus=globalThis.ran=13>',
  '<math><mtext></mtext><script>globalThis.ran=14</script></math>',
  '<style>@import "//x.example/a.css"</style><img src=x onerror=globalThis.ran=15>',
  '&lt;script&gt;globalThis.ran=16&lt;/script&gt;',
  '<object data="data:text/html,<script>parent.ran=17</script>">',
  '<base href="//x.example/"><script src=a.js></script>',
  '__proto__<script>globalThis.ran=19</script>',
  '%3Cscript%3EglobalThis.ran=20%3C/script%3E',
];

describeInBrowser('the console among hostile pages and texts', () => {
  let service: RunningService;
  let browser: Browser;

  beforeAll(async () => {
    service = await RunningService.start();
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser.close();
    await service.discard();
  });

  it.each([
    ['another origin', 'localhost'],
    ['another port of this machine', '127.0.0.1'],
  ])('G13.3: a page of %s makes no call with a session, and reads nothing', async (_, host) => {
    const asked: string[] = [];
    const hostile: Server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.setHeader('content-type', 'text/html; charset=utf-8').end(attack(service.url));
    });
    await new Promise<void>((resolve) => hostile.listen(0, resolve));
    const console = await ConsolePage.open(browser, service);
    try {
      await console.signIn(service.operatorToken);
      const before = await service.operate('GET', '/partners');
      await console.page.goto(`http://${host}:${(hostile.address() as AddressInfo).port}/`);
      await console.page.waitForFunction(() => (globalThis as Json).document.title === 'done');
      const { read, tried } = await console.page.evaluate<Json>('({ read, tried })');
      expect([read, tried.length]).toEqual([[], 10]);
      // A form that the page sends by itself leads to a refusal.
      await Promise.all([
        console.page.waitForURL(/\/operators\/partners$/),
        console.page.evaluate("document.getElementById('form').submit()"),
      ]);
      // To another site, the browser sends no cookie at all.
      expect(await console.page.locator('body').innerText()).toContain('auth_failed');
      expect(await service.operate('GET', '/partners')).toEqual(before);
      // The session is still there.
      await console.go('/deals');
      await console.shows('Deals');
      expect(asked.length).toBeGreaterThan(0);
    } finally {
      await console.close();
      hostile.close();
    }
  });

  it('G13.1: no text that partners, users and operators set runs as a script, on any page', async () => {
    const { operatorToken } = service;
    const acme = await service.newPartner('acme');
    const text = (nth: number): string => SCRIPTS[nth % SCRIPTS.length] ?? '';
    await service.newDeal('lunch', {
      ...{ title: text(0), merchant_name: text(1), highlights: text(2), fine_print: text(3), instructions: text(4) },
      ...{ description1: text(5), tags: [text(6)], category: text(7), campaign: text(8), stock: 100 },
    });
    const ids: string[] = [];
    for (const [nth, script] of SCRIPTS.entries()) {
      const names = { first_name: script, last_name: text(nth + 1), source: text(nth + 2), token: text(nth + 3) };
      const id = await service.newUser(acme.key, `user-${nth}@example.com`, {
        ...names,
        partner_data: { [`x${nth}`]: script },
      });
      const held = await service.ask('POST', '/purchases/reserve?deal_id=lunch&num_bought=1', { key: acme.key });
      const purchase = held.body.purchase.id;
      await service.ask('PUT', `/purchases/${purchase}/claim?user_id=${id}`, { key: acme.key });
      await service.ask('POST', `/operators/purchases/${purchase}/refund`, {
        token: operatorToken,
        body: { reason: script },
      });
      await service.ask('POST', `/operators/partners/${acme.id}/keys`, {
        token: operatorToken,
        body: { name: script.slice(0, 90) },
      });
      await service.ask('POST', '/operators/partners', {
        token: operatorToken,
        body: { name: script, slug: `p-${nth}` },
      });
      ids.push(id, purchase);
    }
    await service.operate('PUT', '/regions/testland', { name: text(9) });
    const console = await ConsolePage.open(browser, service);
    try {
      await console.signIn(operatorToken);
      const [coupon] = (await service.operate('GET', '/coupons?limit=1')).coupons;
      const paths = [
        ...[
          '',
          '/deals',
          '/deals/lunch',
          '/purchases',
          '/coupons',
          `/coupons/${coupon.id}`,
          '/users',
          '/regions',
          '/partners',
        ],
        ...[
          `/partners/${acme.id}`,
          '/acts',
          '/tokens',
          '/streams/deal-lunch',
          '/streams/region-testland',
          `/streams/partner-${acme.id}`,
        ],
        ...SCRIPTS.slice(0, 6).map((script) => `/deals/${encodeURIComponent(script)}`),
        ...ids.map((id, nth) => `/${nth % 2 === 0 ? 'users' : 'purchases'}/${id}`),
      ];
      for (const path of paths) {
        await console.go(path);
        await console.page.getByRole('heading', { level: 1 }).or(console.page.getByRole('alert')).first().waitFor();
        expect([path, await console.page.evaluate('globalThis.ran')]).toEqual([path, undefined]);
      }
      for (const script of SCRIPTS) {
        await console.search(script);
        await console.page.getByRole('heading', { level: 1 }).first().waitFor();
      }
      await console.go('/users');
      expect([await console.page.evaluate('globalThis.ran'), console.complaints]).toEqual([undefined, []]);
      expect(console.requested.filter((url) => !/^(data:|http:\/\/127\.0\.0\.1:)/.test(url))).toEqual([]);
    } finally {
      await console.close();
    }
  });
});
