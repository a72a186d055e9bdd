import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { importDeals, madeUpDeals, REGIONS } from '../campaigns/catalogue/made-up-deals.js';
import { at, buy, timeOf } from '../support/buying.js';
import { describeOnEmbedded } from '../support/on-embedded.js';
import { orderOf, projectionOf, rebuild, untilLive, untilState } from '../support/rebuilding.js';
import { newDataDir, RunningService, type Json, type TestPartner } from '../support/running-service.js';

const DEALS = 80;
const HOUR = 3_600_000;
const LISTS = [
  '/v1/deals?show_all=true&per_page=1000',
  '/v1/deals?per_page=7&page=2',
  '/v1/deals?count=true',
  '/regions/boston/deals',
  '/deals/locate?latitude=42&longitude=-71&radius=200',
];
const FIELDS = ['id', 'end_at', 'expires_at', 'locations', 'num_left', 'region_name', 'soldout', 'state', 'title'];

// Pages and items of lists are remembered. Each must be what the call for one thing shows at that moment, which is remembered
// too; and what a service shows that has just started, and remembers nothing.
describeOnEmbedded('the remembered items of lists', () => {
  const dataDir = newDataDir();
  let service: RunningService;
  let acme: TestPartner;
  let basic: string;
  let user: string;
  let shapes = 0;

  /** Addresses in answers stay the same at each start. */
  const start = (): Promise<RunningService> =>
    RunningService.start({ dataDir, env: { PUBLIC_URL: 'https://deals.example' } });

  beforeAll(async () => {
    service = await start();
    acme = await service.newPartner('acme');
    user = await service.newUser(acme.key, 'ann@example.org');
    const { username, password } = await service.operate('POST', `/partners/${acme.id}/password`);
    basic = `${username}:${password}`;
    await importDeals(service, madeUpDeals(DEALS, await timeOf(service)));
    await service.newDeal('summer', { stock: 5, description1: 'Prix réduit – “謝謝” 🎉 \u2028', max_per_user: null });
    await service.newDeal('plain', { stock: 5, image: null });
  });
  afterAll(() => service.discard());

  const text = async (path: string): Promise<string> => {
    const { status, text: body } = await service.look(path, acme.key);
    expect(status).toBe(200);
    return body;
  };
  /** The item of an answer with one of them, as it stands there. */
  const one = async (path: string, name: string): Promise<string> => {
    const body = await text(path);
    const before = `{"status":"success","${name}":`;
    expect(body.startsWith(before)).toBe(true);
    return body.slice(before.length, -1);
  };
  const itemsOf = (body: string): Json[] => JSON.parse(body).deals;

  /** Compares a v1 list byte for byte with its deals, one by one. */
  const matchesItsDeals = async (path: string): Promise<void> => {
    const body = await text(path);
    const deals = await Promise.all(itemsOf(body).map(({ id }) => one(`/deals/${id}`, 'deal')));
    // First what differs, for whoever reads a failure.
    expect(itemsOf(body)).toEqual(deals.map((deal) => JSON.parse(deal)));
    expect(body === `{"status":"success","deals":[${deals.join(',')}]}`).toBe(true);
  };
  const v3 = async (fields: readonly string[]): Promise<Json[]> => {
    const answer = await service.look(`/api/v3/deals?per_page=1000&fields=${fields.join(',')}`, '', { basic });
    expect(answer.status).toBe(200);
    return answer.body.deals;
  };
  /** Compares a v3 list with one in a shape that no list had before: with other fields each time. */
  const matchesAnotherShape = async (): Promise<void> => {
    shapes += 1;
    const chosen = FIELDS.filter((_, nth) => ((shapes >> nth) & 1) === 1);
    const expected = (await v3(FIELDS)).map((deal) =>
      JSON.stringify(Object.fromEntries(Object.entries(deal).filter(([name]) => chosen.includes(name)))),
    );
    expect((await v3(chosen)).map((deal) => JSON.stringify(deal))).toEqual(expected);
  };
  const allMatch = async (): Promise<void> => {
    await matchesItsDeals('/v1/deals?show_all=true&per_page=1000');
    await matchesItsDeals('/v1/deals?per_page=1000');
    for (const place of [...REGIONS, 'testland']) await matchesItsDeals(`/regions/${place}/deals?per_page=1000`);
    await matchesAnotherShape();
  };
  const allMatchTwice = async (): Promise<void> => {
    await allMatch();
    await allMatch();
  };
  const allMatchAfterStart = async (): Promise<void> => {
    await allMatchTwice();
    const all = async (): Promise<readonly unknown[]> => [
      ...(await Promise.all(LISTS.map(text))),
      await v3(FIELDS),
      await Promise.all(['summer', 'plain'].map((id) => text(`/deals/${id}`))),
    ];
    const before = await all();
    await service.stop();
    service = await start();
    expect(await all()).toEqual(before);
  };

  it('A10, 2.1: are those of the call for one deal, byte for byte, in every state of a deal', async () => {
    await allMatchTwice();
    const states = itemsOf(await text('/v1/deals?show_all=true&per_page=1000')).map(({ state }) => state);
    expect(new Set(states).size).toBeGreaterThan(5);
  });

  it('A10, 2.1, C6: are sent as JSON with their length, and on the next page, too', async () => {
    for (const path of [
      '/v1/deals',
      '/v1/deals?page=2&per_page=7',
      '/deals/locate?latitude=42&longitude=-71&radius=200',
    ]) {
      const { headers, bytes, text: body } = await service.look(path, acme.key);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(headers['content-length']).toBe(String(bytes.length));
      expect(body).toBe(JSON.stringify(JSON.parse(body)));
    }
    expect(JSON.parse(await text('/v1/deals?per_page=7')).next_page).toContain('per_page=7&page=2');
    expect(await text('/v1/deals?slug=nothing')).toBe('{"status":"success","deals":[]}');
  });

  it('change with a sale, and those of other deals stay', async () => {
    const before = itemsOf(await text('/v1/deals?per_page=1000'));
    await buy(service, acme.key, 'plain', user);
    await allMatchTwice();
    const after = itemsOf(await text('/v1/deals?per_page=1000'));
    expect(after.filter((deal, nth) => deal.num_left !== before[nth].num_left).map(({ id }) => id)).toEqual(['plain']);
    await buy(service, acme.key, 'summer', user, 5);
    await allMatchAfterStart();
    expect(itemsOf(await text('/v1/deals?slug=summer'))[0]).toMatchObject({
      soldout: true,
      num_left: 0,
      number_sold: 5,
    });
  });

  it('change with their deal, and with their region', async () => {
    await service.operate('PUT', '/deals/plain', { title: 'Plain – changed' });
    await allMatchTwice();
    await service.operate('PUT', '/regions/boston', { name: 'Bostón', time_zone: 'Asia/Tokyo' });
    await allMatchAfterStart();
    const boston = itemsOf(await text('/regions/boston/deals?per_page=1000'));
    expect(boston.length).toBeGreaterThan(0);
    expect(boston.every(({ region_name }) => region_name === 'Bostón')).toBe(true);
  });

  it('C1: change when the clock passes the start and the end of a deal', async () => {
    const now = await timeOf(service);
    const [start_at, end_at] = [at(now + 2 * HOUR), at(now + 4 * HOUR)];
    await service.newDeal('soon', { start_at, end_at });
    const shown = async (): Promise<Json> => itemsOf(await text('/v1/deals?slug=soon&show_all=true'))[0];
    // No other deal is on these pages, which could end earlier.
    const isListed = async (): Promise<readonly boolean[]> => [
      itemsOf(await text('/v1/deals?slug=soon')).length === 1,
      (await text('/v1/deals?slug=soon&count=true')) === '{"status":"success","count":1}',
    ];
    expect([await shown(), await isListed()]).toMatchObject([{ state: 'approved', ended: false }, [false, false]]);
    await service.forward(2 * 3_600);
    expect([await shown(), await isListed()]).toMatchObject([{ state: 'in-flight', ended: false }, [true, true]]);
    await allMatchAfterStart();
    await service.forward(2 * 3_600);
    expect([await shown(), await isListed()]).toMatchObject([{ state: 'landed', ended: true }, [false, false]]);
    await allMatchTwice();
  });

  it('G6: are those of the live generation, also of an older one that is promoted', async () => {
    for (const [view, from, to] of [
      ['deals', '"title":"Plain', '"title":"Other'],
      ['deal-listing', '"sold":5', '"sold":4'],
    ] as const) {
      const before = await text('/v1/deals?show_all=true&per_page=1000');
      const { generation, version } = await projectionOf(service, view);
      const number = await rebuild(service, view);
      await untilState(service, view, number, 'ready');
      // As if the live one were damaged in a way that does not show.
      const rows = new DatabaseSync(join(dataDir, 'views', `${view}.v${version}.g${number}.db`), { timeout: 5_000 });
      rows.prepare('UPDATE rows SET row = replace(row, ?, ?)').run(from, to);
      rows.close();
      expect(await text('/v1/deals?show_all=true&per_page=1000')).toBe(before);
      expect(await orderOf(service, view, number, 'promote')).toBe(200);
      await untilLive(service, view, number);
      await allMatchTwice();
      expect(await text('/v1/deals?show_all=true&per_page=1000')).not.toBe(before);
      expect(await orderOf(service, view, generation, 'promote')).toBe(200);
      await untilLive(service, view, generation);
      expect(await text('/v1/deals?show_all=true&per_page=1000')).toBe(before);
      expect(await orderOf(service, view, number, 'drop')).toBe(200);
    }
  });

  it('2.5, 2.6: of a user’s purchases and coupons are those of one purchase, whatever happens to it', async () => {
    const matches = async (): Promise<void> => {
      const body = await text(`/users/${user}/purchases`);
      const { purchases } = JSON.parse(body) as { purchases: readonly Json[] };
      const each = await Promise.all(purchases.map(({ id }) => one(`/purchases/${id}`, 'purchase')));
      expect(body).toBe(`{"status":"success","purchases":[${each.join(',')}]}`);
      const coupons = purchases.flatMap((purchase) => purchase.coupons as readonly Json[]);
      const listed = JSON.parse(await text(`/users/${user}/coupons`)).coupons as readonly Json[];
      const sorted = (all: readonly Json[]): readonly Json[] => all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      expect(sorted(listed)).toEqual(sorted(coupons));
    };
    const matchesAfterStart = async (): Promise<void> => {
      await matches();
      const paths = [`/users/${user}/purchases`, `/users/${user}/coupons`, `/users/${user}/coupons?filter=valid`];
      const before = await Promise.all(paths.map(text));
      await service.stop();
      service = await start();
      expect(await Promise.all(paths.map(text))).toEqual(before);
    };
    const end = at((await timeOf(service)) + HOUR);
    await service.newDeal('voucher', { stock: 9, end_at: end, expires_at: end });
    await matches();
    const { id, coupons } = await buy(service, acme.key, 'voucher', user, 2);
    await matches();
    await service.ask('PUT', `/coupons/${coupons[0].id}/redeem`, { key: acme.key });
    await matchesAfterStart();
    await service.forward(3_601);
    await matchesAfterStart();
    const listed = await text(`/users/${user}/coupons`);
    expect(listed).toContain('"state":"redeemed"');
    expect(listed).toContain('"state":"expired"');
    await service.operate('POST', `/purchases/${id}/refund`, { reason: 'asked' });
    await matches();
    expect(await text(`/users/${user}/coupons`)).toContain('"state":"cancelled"');
  });

  it('E1: of a hidden user are shown no more', async () => {
    await text(`/users/${user}/purchases`);
    await service.ask('PUT', `/users/${user}`, { key: acme.key, body: { is_deleted: true } });
    for (const list of ['purchases', 'coupons']) {
      expect((await service.look(`/users/${user}/${list}`, acme.key)).status).toBe(404);
    }
  });
});
