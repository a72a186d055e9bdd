import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { demoSettings } from '../support/demo.js';
import { RunningService, type Answer, type Json } from '../support/running-service.js';

const PEOPLE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const PROGRAM = { accept: 'application/json' };

describe('pages for people', () => {
  let service: RunningService;
  let key: string;
  let basic: string;

  beforeAll(async () => {
    service = await RunningService.start({ env: { DEMO: 'true' } });
    ({ key, basic } = demoSettings(service));
  });
  afterAll(() => service.discard());

  const people = (path: string): Promise<Answer> => service.ask('GET', path, { headers: PEOPLE });
  const demoDeals = async (): Promise<readonly Json[]> => (await service.look('/deals', key)).body.deals as Json[];
  const demoDealsV3 = async (): Promise<readonly Json[]> => {
    const fields = 'images,show_url,purchase_url,redemption_url,locations,title';
    return (await service.ask('GET', `/api/v3/deals?fields=${fields}`, { basic })).body.deals as Json[];
  };
  const linksIn = (value: unknown): string[] => {
    if (typeof value === 'string') return value.startsWith('http') ? [value] : [];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(linksIn) : [];
  };

  it('G11: the root address leads people to the console, the reference and health, and programs in JSON', async () => {
    const page = await people('/');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const links = [...page.text.matchAll(/href="([^":]+)"/g)].map(([, path]) => `/${path ?? ''}`);
    expect(links).toEqual(['/console', '/docs', '/health/ready', '/health/live', '/openapi.json']);
    for (const path of links) expect([path, (await people(path)).status]).toEqual([path, 200]);
    const { status, body } = await service.ask('GET', '/', { headers: PROGRAM });
    const url = (path: string): string => `${service.url}${path}`;
    expect([status, body]).toEqual([
      200,
      {
        status: 'success',
        name: 'Holdfast',
        console: url('/console'),
        docs: url('/docs'),
        openapi: url('/openapi.json'),
        live: url('/health/live'),
        ready: url('/health/ready'),
      },
    ]);
    for (const path of ['/v1/', '/api/v1/', '/.json', '/%', '/%E0%A4%A']) {
      expect([path, (await people(path)).status]).toEqual([path, 404]);
    }
  });

  it('G13: a refusal in a browser is a page with its words, and JSON for programs', async () => {
    const page = await people('/operators/partners');
    expect([page.status, page.headers['content-type'], page.headers['www-authenticate']]).toEqual([
      401,
      'text/html; charset=utf-8',
      'Bearer',
    ]);
    expect(page.text).toContain('You are not signed in');
    expect(page.text).toContain(String(page.headers['request-id']));
    const program = await service.ask('GET', '/operators/partners', { headers: PROGRAM });
    expect([program.status, program.body.error_type]).toEqual([401, 'auth_failed']);
  });

  it('G9, H4: every link of every deal of the demo answers 200 to people', async () => {
    const [deals, v3] = [await demoDeals(), await demoDealsV3()];
    expect([deals.length, v3.length]).toEqual([4, 4]);
    const links = new Set([...deals, ...v3].flatMap(linksIn));
    expect(links.size).toBeGreaterThan(4 * 20);
    for (const link of links) {
      expect(link.startsWith(service.url)).toBe(true);
      const answer = await people(link.slice(service.url.length));
      expect([link, answer.status]).toEqual([link, 200]);
      const picture = link.includes('/images/');
      expect(answer.headers['content-type']).toMatch(picture ? /^image\/svg\+xml/ : /^text\/html/);
      if (picture) expect(answer.headers['cache-control']).toBe('public, max-age=86400');
    }
    expect((await people('/images/none.svg')).status).toBe(404);
    expect((await people('/images/constructor')).status).toBe(404);
  });

  it('H4: a deal is a page for a browser without a credential, and unchanged for everybody else', async () => {
    const path = '/deals/rowing-on-the-charles';
    expect((await people(path)).text).toContain('<h1><bdi>An Hour of Rowing for Two on the Charles</bdi></h1>');
    expect((await people(path)).text).toContain('Boston, MA 02114');
    for (const headers of [PROGRAM, {}]) expect((await service.ask('GET', path, { headers })).status).toBe(401);
    for (const [each, options] of [
      [path, { key, headers: PEOPLE }],
      [`${path}?api_key=${key}`, { headers: PEOPLE }],
    ] as const) {
      expect((await service.ask('GET', each, options)).body.deal.id).toBe('rowing-on-the-charles');
    }
    expect((await people('/deals/locate')).status).toBe(401);
  });

  it('H4: a link with a query of its own leads to the page too, and with a credential to the call', async () => {
    const path = '/deals/rowing-on-the-charles';
    const page = (await people(path)).text;
    for (const query of ['?', '?utm_source=mail&to=a%40b', '?x=api_key', '?%']) {
      const { status, text } = await people(path + query);
      expect([query, status, text]).toEqual([query, 200, page]);
    }
    for (const query of [`?from=mail&api%5Fkey=${key}`, `?api_key=${key}#x`]) {
      expect((await people(path + query)).body.deal.id).toBe('rowing-on-the-charles');
    }
    for (const query of ['?api_key=wrong', '?access_token=wrong', '?api_key']) {
      expect([query, (await people(path + query)).status]).toEqual([query, 401]);
    }
  });

  it('H4: people get the same page for a hidden deal and for an unknown one', async () => {
    await service.newDeal('cancelled-one');
    await service.operate('POST', '/deals/cancelled-one/transitions', { to: 'cancelled' });
    // People have no position to send: a look of a partner waits for the view.
    await service.look('/deals/cancelled-one', key);
    for (const id of ['nothing', 'cancelled-one', '%00', 'constructor']) {
      for (const path of [`/deals/${id}`, `/deals/${id}/purchase`]) {
        const { status, text } = await people(path);
        expect([path, status, text.includes('<h1>No such deal</h1>')]).toEqual([path, 404, true]);
      }
      const error = await service.ask('GET', `/deals/${id}/purchase`, { headers: PROGRAM });
      expect([error.status, error.body.error_type]).toEqual([404, 'find_failed']);
    }
  });
});
