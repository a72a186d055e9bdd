import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mmdb } from '../support/mmdb.js';
import { NO_REGION } from '../support/refusals.js';
import {
  discardLeftovers,
  RunningService,
  type Answer,
  type Json,
  type TestPartner,
} from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';

const entry = (message: string, field: string): string =>
  JSON.stringify({
    status: 'error',
    error_type: 'validation_failed',
    error_msg: 'validation failed',
    errors: [{ type: 'invalid', message, field, resource: 'region' }],
  });

describe('regions', () => {
  const folder = tempFolder();
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    const file = join(folder.path, 'places.mmdb');
    const network = (latitude: number, longitude: number) => ({ location: { latitude, longitude } });
    writeFileSync(file, mmdb({ '192.0.2.0/24': network(42.36, -71.06), '2001:db8::/32': network(37.77, -122.42) }));
    service = await RunningService.start({ env: { GEOIP_DB: file } });
    acme = await service.newPartner('acme');
    const regions = {
      'san-francisco': { latitude: 37.77, longitude: -122.42, radius: 25 },
      boston: { latitude: 42.36, longitude: -71.06, radius: 40 },
      cambridge: { latitude: 42.3715, longitude: -71.1051, radius: 3 },
      closed: { latitude: 40.75, longitude: -73.99, radius: 100, active: false },
    };
    for (const [slug, body] of Object.entries(regions)) {
      await service.operate('PUT', `/regions/${slug}`, { name: `The ${slug}`, time_zone: 'America/New_York', ...body });
      await service.newDeal(`deal-${slug}`, { region_id: slug });
    }
  });
  afterAll(async () => {
    await service.discard();
    await discardLeftovers();
    folder.remove();
  });

  const look = (path: string): Promise<Answer> => service.look(path, acme.key);

  it.each(['/regions', '/v1/regions', '/api/v1/regions', '/api/v1/regions.json'])(
    '4.5.2, 4.5, 2.12, A1, A9: %s lists id, active and name, by slug',
    async (path) => {
      const region = (id: string, active: boolean) => ({
        id,
        active,
        name: id === 'testland' ? 'Testland' : `The ${id}`,
      });
      expect((await look(path)).text).toBe(
        JSON.stringify({
          status: 'success',
          regions: [
            region('boston', true),
            region('cambridge', true),
            region('closed', false),
            region('san-francisco', true),
            region('testland', true),
          ],
        }),
      );
    },
  );

  it.each(['/regions/closed', '/v1/regions/closed', '/api/v1/regions/closed', '/api/v1/regions/closed.json'])(
    '4.5.1, 4.5, 2.12, A1, A9: %s is one region, active or not',
    async (path) => {
      expect((await look(path)).text).toBe(
        '{"status":"success","region":{"id":"closed","active":false,"name":"The closed"}}',
      );
    },
  );

  it.each(['nowhere', 'Boston', 'BOSTON', '02114', 'Boston,%20MA', '192.0.2.1', 'constructor', '%F0%9F%8C%8D'])(
    '4.5, A8: /regions/%s is 404: only a slug names one region',
    async (id) => {
      const answer = await look(`/regions/${id}`);
      expect([answer.status, answer.text]).toEqual([404, NO_REGION]);
    },
  );

  it('4.5, 4.1, A10: come in pages, or as their count', async () => {
    const ids = async (query: string): Promise<string[]> =>
      (await look(`/regions${query}`)).body.regions.map(({ id }: Json) => id);
    expect(await ids('?per_page=2')).toEqual(['boston', 'cambridge']);
    expect(await ids('?per_page=2&page=2')).toEqual(['closed', 'san-francisco']);
    expect(await ids('?per_page=2&page=3')).toEqual(['testland']);
    expect(await ids('?per_page=2&page=4')).toEqual([]);
    expect((await look('/regions?count=true&page=0')).text).toBe('{"status":"success","count":5}');
    expect((await service.look('/api/v1/regions', acme.key, { body: { per_page: '1' } })).body.regions).toHaveLength(1);
  });

  it.each([
    ['page=0', entry('must be an integer of at least 1', 'page')],
    ['per_page=1001', entry('must be an integer from 1 to 1000', 'per_page')],
    ['count=maybe', entry('must be true or false', 'count')],
  ])('4.5, A10, A8: %s is refused with the name of the parameter', async (query, body) => {
    const answer = await look(`/regions?${query}`);
    expect([answer.status, answer.text]).toEqual([422, body]);
  });

  it('5, A4: are hidden from callers without a key', async () => {
    for (const path of ['/regions', '/regions/boston', '/regions/boston/deals', '/regions/Boston/MA/deals']) {
      expect((await service.ask('GET', path)).status).toBe(401);
    }
  });

  it.each([
    ['boston', 'boston'],
    ['closed', 'closed'],
    ['02114', 'boston'],
    ['02114-0001', 'boston'],
    ['02139', 'cambridge'],
    ['94103', 'san-francisco'],
    ['Boston,%20MA', 'boston'],
    ['boston,ma', 'boston'],
    ['Boston%2FMA', 'boston'],
    ['San%20Francisco,%20CA', 'san-francisco'],
    ['san%20francisco%2Cca', 'san-francisco'],
    ['192.0.2.77', 'boston'],
    ['2001:db8::1', 'san-francisco'],
    ['2001%3Adb8%3A%3A1', 'san-francisco'],
  ])(
    '4.3.11, 4.4.1, 4.4.2, 4.4.3, 4.3, 4.4, C4: %s is the region %s, as a parameter and in a path',
    async (place, region) => {
      const deal = [`deal-${region}`];
      const ids = (answer: Answer): string[] => answer.body.deals.map(({ id }: Json) => id);
      expect(ids(await look(`/v1/deals?region=${place}`))).toEqual(deal);
      for (const prefix of ['', '/v1', '/api/v1']) {
        expect(ids(await look(`${prefix}/regions/${place}/deals`))).toEqual(deal);
      }
      expect(ids(await look(`/regions/${place}/deals.json`))).toEqual(deal);
    },
  );

  it('4.4.3, 4.4, C4: accept city and state as two parts of a path', async () => {
    for (const path of ['/regions/Boston/MA/deals', '/v1/regions/boston/ma/deals.json', '/regions/Boston/Ma/deals']) {
      expect((await look(path)).body.deals.map(({ id }: Json) => id)).toEqual(['deal-boston']);
    }
  });

  it.each([
    ['99999', 'region of ZIP 99999 is not known: there is no such ZIP'],
    ['10001', 'region of ZIP 10001 is not known: no active region covers it'],
    ['Bstn,%20MA', 'region of Bstn, MA is not known: there is no such city'],
    ['New%20York,NY', 'region of New York, NY is not known: no active region covers it'],
    ['198.51.100.1', 'region of 198.51.100.1 is not known: GEOIP_DB does not have it'],
    ['2001:db9::1', 'region of 2001:db9::1 is not known: GEOIP_DB does not have it'],
  ])('4.3, 4.4, C4: %s has no region: 404 with the reason', async (place, error_msg) => {
    const body = JSON.stringify({ status: 'error', error_type: 'find_failed', error_msg });
    for (const path of [`/v1/deals?region=${place}`, `/regions/${place}/deals`]) {
      const answer = await look(path);
      expect([answer.status, answer.text]).toEqual([404, body]);
    }
  });

  describe('of a city whose name has punctuation or accents', () => {
    let basic: string;

    beforeAll(async () => {
      const places = { winston: [36.1, -80.24], idaho: [47.69, -116.78], canon: [38.44, -105.24] } as const;
      for (const [slug, [latitude, longitude]] of Object.entries(places)) {
        const region = { name: slug, time_zone: 'UTC', latitude, longitude, radius: 10 };
        await service.operate('PUT', `/regions/${slug}`, region);
        await service.newDeal(`deal-${slug}`, { region_id: slug });
      }
      const { password } = await service.operate('POST', `/partners/${acme.id}/password`);
      basic = `acme:${password}`;
    });

    it.each([
      ['Winston-Salem', 'NC', 'winston'],
      ['winston salem', 'nc', 'winston'],
      ["Coeur d'Alene", 'ID', 'idaho'],
      ['Coeur d’Alene', 'ID', 'idaho'],
      ['COEUR D ALENE', 'ID', 'idaho'],
      ['Cañon City', 'CO', 'canon'],
      ['Canon City', 'CO', 'canon'],
    ])('4.2.7, 4.3.11, 4.4.3, C4: %s, %s is found in every way of naming a city', async (city, state, region) => {
      const [name, comma] = [encodeURIComponent(city), encodeURIComponent(', ')];
      const ids = async (path: string): Promise<string[]> =>
        (await look(path)).body.deals.map(({ id }: Json) => id as string);
      for (const path of [
        `/v1/deals?region=${name},${state}`,
        `/v1/deals?region=${name}${comma}${state}`,
        `/v1/deals?region=${name}%2F${state}`,
        `/regions/${name},${state}/deals`,
        `/regions/${name}${comma}${state}/deals.json`,
        `/regions/${name}%2F${state}/deals`,
        `/v1/regions/${name}/${state}/deals`,
        `/api/v1/regions/${name}/${state}/deals.json`,
      ])
        expect([path, await ids(path)]).toEqual([path, [`deal-${region}`]]);
      for (const path of [
        `/regions/${name},${state}/deals?`,
        `/regions/${name}/${state}/deals?`,
        `/deals?fields=id&filter=region_city[${name},${state}]`,
        `/deals?fields=id&filter=region_city[[${name}${comma}${state}]]`,
      ]) {
        const answer = await service.ask('GET', `/api/v3${path}`, { basic });
        expect([path, answer.body.deals?.map(({ id }: Json) => id)]).toEqual([path, [`deal-${region}`]]);
      }
    });
  });

  it('C4, G3: serve a place according to their present settings', async () => {
    const worcester = async (): Promise<Json> => (await look('/v1/deals?region=Worcester,%20MA')).body;
    expect((await worcester()).deals[0].id).toBe('deal-boston');
    await service.operate('PUT', '/regions/boston', { radius: 10 });
    expect((await worcester()).error_msg).toBe('region of Worcester, MA is not known: no active region covers it');
    await service.operate('PUT', '/regions/boston', { radius: 40, active: false });
    expect((await worcester()).status).toBe('error');
    await service.operate('PUT', '/regions/boston', { active: true });
    expect((await worcester()).deals[0].id).toBe('deal-boston');
  });
});

describe('the file that GEOIP_DB names', () => {
  const folder = tempFolder();
  afterAll(() => folder.remove());
  const start = (file: string): Promise<RunningService> => RunningService.start({ env: { GEOIP_DB: file } });

  it('G9, C4: must exist and be an MMDB file; otherwise the start fails with the name of the variable', async () => {
    const file = join(folder.path, 'text.mmdb');
    writeFileSync(file, 'not one');
    const what = 'GEOIP_DB must be the path of an MMDB file';
    await expect(start('')).rejects.toThrow(`Invalid environment: ${what}.`);
    for (const wrong of [join(folder.path, 'none.mmdb'), folder.path, file]) {
      await expect(start(wrong)).rejects.toThrow(
        `Holdfast did not start: ${what} with locations, such as GeoLite2-City.mmdb: `,
      );
    }
  });
});
