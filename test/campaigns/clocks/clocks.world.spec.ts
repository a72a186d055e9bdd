import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDbLogReader } from '#adapters/eventstoredb';
import { clockApart } from '../../support/clock-apart.js';
import { sharedEngines, shareEngines, sharedLogOf } from '../../support/cluster.js';
import { eventsIn } from '../../support/data-folder.js';
import { discardLeftovers, newDataDir, RunningService, type Answer, type Json } from '../../support/running-service.js';
import { SharedServers } from '../../support/shared-servers.js';
import { tempFolder } from '../../support/temp-folder.js';

const DAY = 86_400_000;
const HOLD = 300_000;
/** How often a call is sent that a busy machine answers with 503. */
const TRIES = 20;

const servers = sharedEngines() === undefined ? await SharedServers.start() : undefined;

(servers === undefined ? describe.skip : describe)('D2: APIs of one log, some on machines with a wrong clock', () => {
  const folder = tempFolder();
  const dataDir = newDataDir();
  /** 120 s ahead, a day ahead, and right at first. The API before these has the right clock. */
  const wrong = [120_000, DAY, 0];
  const files = wrong.map((_, index) => join(folder.path, `clock-${index}`));
  let service: RunningService;
  let key: string;

  beforeAll(async () => {
    if (servers !== undefined) shareEngines(servers);
    files.forEach((file, index) => writeFileSync(file, String(wrong[index])));
    const eachApi = [{}, ...files.map(clockApart)];
    service = await RunningService.start({ dataDir, env: { TEST_CLOCK: 'false' }, eachApi, unready: true });
    for (const api of [0, 3]) await ready(api);
    await right('POST', '/operators/partners', { name: 'acme', slug: 'acme' });
    let id: string | undefined;
    // A repeat of a call whose answer was lost shows no secrets again.
    while (id === undefined) {
      const { partners } = (await right('GET', '/operators/partners')).body;
      id = (partners as Json[]).find(({ slug }) => slug === 'acme')?.id;
    }
    key = (await right('POST', `/operators/partners/${id}/keys`)).body.api_key;
    await right('PUT', '/operators/regions/testland', { name: 'Testland', time_zone: 'America/New_York' });
    for (const deal of ['spa', 'tram']) {
      await right('PUT', `/operators/deals/${deal}`, {
        ...{
          title: deal,
          region_id: 'testland',
          current_price: 1_000,
          value: 2_000,
          stock: 10,
          image: '/images/deal.jpg',
        },
        ...{ start_at: at(-DAY), end_at: at(9 * DAY) },
      });
      for (const to of ['in-review', 'approved']) await right('POST', `/operators/deals/${deal}/transitions`, { to });
    }
  });
  afterAll(async () => {
    await service.kill();
    await discardLeftovers();
    await servers?.stop();
    folder.remove();
  });

  const at = (apart: number): string => new Date(Date.now() + apart).toISOString();
  const ask = (api: number, method: string, path: string, options: Json = {}): Promise<Answer> =>
    service.ask(method, path, { at: service.urls[api] ?? '', headers: { 'holdfast-position': '0' }, ...options });
  const health = async (api: number): Promise<Answer> => service.health({ at: service.urls[api] ?? '' });
  async function ready(api: number): Promise<void> {
    while ((await health(api)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
  }
  /** As an operator, through the API with the right clock; again while a busy machine answers 503. */
  async function right(method: string, path: string, body?: object): Promise<Answer> {
    const headers = { 'holdfast-position': '0', 'idempotency-key': randomUUID() };
    const call = { token: service.operatorToken, body, headers };
    let answer = await ask(0, method, path, call);
    for (let tries = 1; answer.status === 503 && tries < TRIES; tries += 1) answer = await ask(0, method, path, call);
    const isDone = answer.status === 200 || answer.body.error_type === 'secrets_lost';
    if (!isDone) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }
  const reserve = (api: number, deal: string): Promise<Answer> =>
    ask(api, 'POST', '/purchases/reserve', { key, body: { deal_id: deal, num_bought: 1 } });
  const events = async (): ReturnType<typeof eventsIn> =>
    eventsIn(await EventStoreDbLogReader.open(sharedLogOf(dataDir, servers as SharedServers)));
  /** That an API reports how far its clock is ahead. The seconds that a slow machine needs for the comparison are missing. */
  const refused = ({ status, body }: Answer, apart: number): void => {
    const ahead = /^This machine’s clock is (\d+) s ahead of that of the event log’s server/;
    expect([status, body]).toMatchObject([
      503,
      {
        status: 'error',
        log: { state: 'refused' },
        findings: [{ stream: null, message: expect.stringMatching(ahead) }],
      },
    ]);
    const seconds = Number(ahead.exec(body.findings[0].message)?.[1]);
    expect(seconds).toBeLessThanOrEqual(apart / 1_000);
    expect(seconds).toBeGreaterThan(apart / 1_000 - 60);
  };

  it('those that start with it report it in health and log, are not ready, and decide nothing', async () => {
    expect((await reserve(0, 'spa')).status).toBe(200);
    for (const [api, apart] of [
      [1, 120_000],
      [2, DAY],
    ] as const) {
      refused(await health(api), apart);
      expect((await reserve(api, 'spa')).status).toBe(503);
      await service.processes.apis[api]?.prints('s ahead of that of the event log’s server');
    }
  });

  it('one whose clock leaps while it runs decides nothing from then on', async () => {
    const held = await reserve(3, 'tram');
    expect(held.status).toBe(200);
    writeFileSync(files[2] ?? '', String(DAY));
    // By then it has read its clock's file.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await reserve(3, 'tram')).status).toBe(503);
    refused(await health(3), DAY);
    // The hold lives on where the clock is right.
    expect((await ask(0, 'GET', `/purchases/${held.body.purchase.id}`, { key })).body.purchase).toMatchObject({
      fulfillment_state: 'reserved',
    });
  });

  it('holds of the others last 300 s, and the log has no other time', async () => {
    for (const deal of ['spa', 'tram']) expect((await reserve(0, deal)).status).toBe(200);
    const all = await events();
    const holds = all.filter(({ type }) => type === 'hold-placed.v1');
    expect(holds.map(({ data, metadata }) => (data as { deadline: number }).deadline - metadata.time)).toEqual(
      holds.map(() => HOLD),
    );
    expect(holds).toHaveLength(4);
    expect(all.filter(({ type }) => type === 'hold-expired.v1')).toEqual([]);
    expect(all.filter(({ metadata }) => metadata.time > Date.now())).toEqual([]);
  });
});
