import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Browser, CHROMIUM } from '../support/browser.js';
import { RunningService, type Answer } from '../support/running-service.js';

/** Milliseconds until the reference must show. */
const SHOWN_WITHIN = 20_000;
const SCREEN = { width: 1280, height: 1000, scale: 1, media: 'screen' } as const;
/** What a page or a style sheet loads by itself. */
const LOADS = /(?:src|href)="([^"]*)"|url\(([^)]*)\)|@import\s+([^;]*)/g;

if (CHROMIUM === undefined) {
  process.stderr.write('There is no Chromium on the PATH: the reference page (G11) WAS NOT OPENED.\n');
}
const withBrowser = CHROMIUM === undefined ? it.skip : it;

describe('the reference page', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await RunningService.start();
  }, 60_000);
  afterAll(() => service.discard());

  const get = (path: string): Promise<Answer> => service.ask('GET', path);
  const loadedBy = (text: string): string[] =>
    [...text.matchAll(LOADS)].map(([, ...found]) => found.find(Boolean) ?? '');

  it('G11 A3: is served without a key, and lets a browser load from here alone', async () => {
    for (const path of ['/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/start.js']) {
      const { status, headers } = await get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(headers['content-security-policy']).toBe(
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'",
      );
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('G11: names only files beside itself, each of which is there, and has no script of its own inside', async () => {
    const { text } = await get('/docs');
    const names = loadedBy(text);
    expect(names.length).toBeGreaterThan(3);
    for (const name of names) {
      expect(name).toMatch(/^docs\/[\w.-]+$/);
      expect([name, (await get(`/${name}`)).status]).toEqual([name, 200]);
    }
    expect(text.match(/<script(?! src=)/g)).toBeNull();
    expect((await get('/docs/start.js')).text).toContain("url: 'openapi.json'");
    const style = loadedBy((await get('/docs/swagger-ui.css')).text);
    expect(style.filter((each) => !/^["']?(data:|#)/.test(each))).toEqual([]);
  });

  it('G11: no other file of the package is served', async () => {
    for (const name of ['swagger-initializer.js', 'package.json', '..%2Fswagger-ui-dist%2Findex.html', '__proto__']) {
      const { status, body } = await get(`/docs/${name}`);
      expect([name, status, body.error_type]).toEqual([name, 404, 'find_failed']);
    }
  });

  withBrowser(
    'G11: shows every call in a browser that asks nobody but the service',
    async () => {
      const browser = await Browser.start();
      try {
        await browser.open(`${service.url}/docs`, SCREEN);
        const shown = (): Promise<number> => browser.ask('document.querySelectorAll(".opblock").length');
        const deadline = Date.now() + SHOWN_WITHIN;
        while ((await shown()) === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
        const { paths } = (await get('/openapi.json')).body as { paths: Record<string, object> };
        expect(await shown()).toBe(Object.values(paths).flatMap((each) => Object.keys(each)).length);
        expect(await browser.ask('document.querySelector(".info .title").textContent')).toContain('Holdfast');
        expect(await browser.ask('document.body.innerText')).not.toContain('Warning');
        const asked = browser.asked.filter((url) => !url.startsWith('data:'));
        expect(asked).toContain(`${service.url}/openapi.json`);
        expect(asked.filter((url) => !url.startsWith(`${service.url}/`))).toEqual([]);
        expect(browser.complaints).toEqual([]);
      } finally {
        await browser.close();
      }
    },
    60_000,
  );
});
