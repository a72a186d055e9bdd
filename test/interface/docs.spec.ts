import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunningService, type Answer, type Json } from '../support/running-service.js';

describe('the reference page', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await RunningService.start();
  });
  afterAll(() => service.discard());

  const get = (path: string): Promise<Answer> => service.ask('GET', path);
  const operations = async (): Promise<readonly (readonly [path: string, operation: Json])[]> => {
    const { paths } = (await get('/openapi.json')).body as { paths: Record<string, Record<string, Json>> };
    return Object.entries(paths).flatMap(([path, each]) =>
      Object.values(each).map((operation): [string, Json] => [path, operation]),
    );
  };

  it('G11 A3: needs no key, runs and loads nothing, and cannot be framed', async () => {
    const { status, headers, text } = await get('/docs');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(text).not.toMatch(/<script|<img|\ssrc=|url\(|@import|\son\w+=/);
  });

  it.each(['/docs', '/openapi.json'])(
    'G11: %s comes compressed to clients that accept it, and not again to clients that have it',
    async (path) => {
      const plain = await get(path);
      const small = await service.ask('GET', path, { headers: { 'accept-encoding': 'gzip, br' } });
      expect(gunzipSync(small.bytes)).toEqual(plain.bytes);
      expect(small.headers['content-encoding']).toBe('gzip');
      for (const { headers, bytes } of [plain, small]) {
        expect(headers).toMatchObject({ vary: 'accept-encoding', 'cache-control': 'no-cache' });
        expect(headers['content-length']).toBe(String(bytes.length));
        const accepted: Readonly<Record<string, string>> =
          headers['content-encoding'] === undefined ? {} : { 'accept-encoding': 'gzip' };
        const ask = (tag: string): Promise<Answer> =>
          service.ask('GET', path, { headers: { ...accepted, 'if-none-match': tag } });
        const again = await ask(`"another", W/${headers['etag'] ?? ''}`);
        expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', headers['etag']]);
        expect((await ask('"another"')).status).toBe(200);
        expect((await ask(`${'"another", '.repeat(200)}${headers['etag'] ?? ''}`)).status).toBe(200);
      }
      expect(small.headers['etag']).not.toBe(plain.headers['etag']);
    },
  );

  it('G11: shows each call with its path, parameters, answers and a curl line', async () => {
    const { text } = await get('/docs');
    for (const [path, operation] of await operations()) {
      const start = text.indexOf(`<article id="${String(operation.operationId)}"`);
      const article = text.slice(start, text.indexOf('</article>', start));
      expect([path, start]).toEqual([path, expect.any(Number)]);
      expect(start).toBeGreaterThan(0);
      expect(article).toContain(`<code>${path}</code>`);
      expect(article).toContain('curl -s ');
      for (const [status, { $ref }] of Object.entries(operation.responses as Record<string, Json>)) {
        // The answers that every call may give are on the page once, below.
        expect(article).toContain($ref === undefined ? `<summary>${status}</summary>` : `href="#answer-${status}"`);
      }
      for (const { name } of (operation.parameters as Json[]).filter((each) => each.name !== undefined)) {
        expect(article).toContain(`<code>${String(name)}</code>`);
      }
    }
  });

  it('G11: has a target for every link', async () => {
    const { text } = await get('/docs');
    const ids = new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter((id) => !ids.has(id))).toEqual([]);
  });
});
