import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEAL, sellInto } from '../campaigns/scale/sales.js';
import { describeOnEmbedded } from '../support/on-embedded.js';
import { eventsOf, fileOfGeneration, openLogOf, rowsOfGeneration } from '../support/data-folder.js';
import { naiveFold } from '../support/naive-fold.js';
import { generationsOf, orderOf, projectionOf, rebuild, statesOf, untilState } from '../support/rebuilding.js';
import { discardLeftovers, newDataDir, RunningService, type Answer, type Json } from '../support/running-service.js';

/** The same address at each start: another one is another form of answers, and an event. */
const AT = { PUBLIC_URL: 'https://deals.example' };

/** With six events each, enough for the test to see a rebuild under way. */
const SALES = 8_000;

/** The columns of a generation’s rows that queries compare, and the row itself. */
const columnsOf = (database: DatabaseSync): readonly string[] =>
  database
    .prepare('PRAGMA table_info(rows)')
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !['id', 'key', 'position'].includes(name));

describeOnEmbedded('G6: projections', () => {
  const dataDir = newDataDir();
  let service: RunningService;
  let key: string;

  const restart = async (unready = false): Promise<void> => {
    await service.stop();
    service = await RunningService.start({ dataDir, env: AT, unready });
  };
  const asOperator = (method: string, path: string): Promise<Answer> =>
    service.ask(method, `/operators/projections${path}`, { token: service.operatorToken });
  const refused = (error_msg: string): object => ({
    status: 422,
    body: { status: 'error', error_type: 'update_failed', error_msg },
  });
  const liveOf = async (view: string): Promise<number> => (await projectionOf(service, view)).generation;

  beforeAll(async () => {
    service = await RunningService.start({ dataDir, env: AT });
    ({ key } = await service.newPartner('acme'));
    await service.newDeal(DEAL, { stock: SALES });
    await service.stop();
    await sellInto(await openLogOf(dataDir), SALES);
    service = await RunningService.start({ dataDir, env: AT });
  });
  afterAll(discardLeftovers);

  it('show operators and auditors where each one stands', async () => {
    const path = '/operators/projections';
    while ((await projectionOf(service, 'regions')).lag_events > 0);
    for (const token of [service.operatorToken, service.auditorToken]) {
      const { body } = await service.ask('GET', path, { token });
      const { position } = body.projections[0];
      expect(position).toMatch(/^[1-9]\d*$/);
      expect(body.projections.find((each: { view: string }) => each.view === 'regions')).toEqual({
        view: 'regions',
        version: 2,
        generation: 1,
        state: 'live',
        position,
        lag_events: 0,
        lag_seconds: 0,
        last_error: null,
        stopped_at: null,
      });
      expect((await service.ask('GET', `${path}?count=true`, { token })).body).toEqual({
        status: 'success',
        count: body.projections.length,
      });
      const [second] = (await service.ask('GET', `${path}?page=2&per_page=1`, { token })).body.projections;
      expect(second.view).toBe(body.projections[1].view);
    }
    const auditor = await service.ask('POST', `${path}/regions/rebuild`, { token: service.auditorToken });
    expect([auditor.status, auditor.body.error_type]).toEqual([403, 'auth_failed']);
    expect(await generationsOf(service, 'regions')).toMatchObject([
      { number: 1, state: 'live', progress: 1, time_left: null, last_error: null },
    ]);
  });

  it('A8: are 404 for an unknown view or generation', async () => {
    const paths = [
      ['GET', '/nothing/generations'],
      ['POST', '/nothing/rebuild'],
      ['POST', '/nothing/resume'],
      ['POST', '/nothing/skip'],
      ...['7', '0', '-1', 'x', '1e0', '99999999999'].flatMap((n) => [
        ['POST', `/regions/generations/${n}/promote`],
        ['POST', `/regions/generations/${n}/cancel`],
        ['DELETE', `/regions/generations/${n}`],
      ]),
    ];
    for (const [method = '', path = ''] of paths) {
      const { status, body } = await asOperator(method, path);
      expect([method, path, status, body.error_type, body.error_msg]).toEqual([
        method,
        path,
        404,
        'find_failed',
        'Unable to find',
      ]);
    }
  });

  it('show a rebuild under way, and give the reason for what they refuse meanwhile', async () => {
    const live = await liveOf('coupons');
    const number = await rebuild(service, 'coupons');
    const path = `/coupons/generations/${number}`;
    expect(await asOperator('POST', '/coupons/rebuild')).toMatchObject(
      refused(`generation ${number} of coupons is being built already`),
    );
    expect(await asOperator('POST', `${path}/promote`)).toMatchObject(
      refused(`generation ${number} of coupons is still being built`),
    );
    expect(await asOperator('DELETE', path)).toMatchObject(
      refused(`generation ${number} of coupons is being built: cancel it`),
    );
    expect(await liveOf('coupons')).toBe(live);
    const reports = await untilState(service, 'coupons', number, 'ready');
    const underWay = reports.filter(({ progress, state }) => state === 'building' && progress > 0 && progress < 1);
    expect(underWay.length).toBeGreaterThan(0);
    expect(underWay.some(({ events_per_second }) => events_per_second > 0)).toBe(true);
    expect(underWay.some(({ time_left }) => typeof time_left === 'number')).toBe(true);
    expect(await asOperator('DELETE', `/coupons/generations/${live}`)).toMatchObject(
      refused(`generation ${live} of coupons is the live one: promote another one first`),
    );
    expect(await asOperator('POST', `/coupons/generations/${live}/cancel`)).toMatchObject(
      refused(`generation ${live} of coupons is the live one`),
    );
    expect(await orderOf(service, 'coupons', number, 'drop')).toBe(200);
  });

  it('stay as they were after a cancelled rebuild', async () => {
    const live = await liveOf('purchases');
    const number = await rebuild(service, 'purchases');
    expect(await orderOf(service, 'purchases', number, 'cancel')).toBe(200);
    expect(await statesOf(service, 'purchases')).toEqual({ [live]: 'live' });
    expect(await generationsOf(service, 'purchases')).toContainEqual(
      expect.objectContaining({ number, state: 'cancelled', last_error: null }),
    );
    expect(await orderOf(service, 'purchases', number, 'cancel')).toBe(404);
  });

  it('G6.1: are compared with the live one: rows that are new, gone and different, without the texts in them', async () => {
    const number = await rebuild(service, 'regions');
    await untilState(service, 'regions', number, 'ready');
    const path = `/regions/generations/${number}/compare`;
    const equal = {
      ...{ status: 'success', view: 'regions', generation: number, live: await liveOf('regions') },
      ...{ rows: 1, added: 0, removed: 0, changed: 0, samples: { added: [], removed: [], changed: [] } },
    };
    expect((await asOperator('POST', path)).body).toEqual(equal);
    // Rows that no build makes, as one of a wrong build would have them.
    const database = new DatabaseSync(fileOfGeneration(dataDir, 'regions', number));
    database.exec(`UPDATE rows SET row = json_set(row, '$.active', json('false'), '$.name', 'Canary')`);
    database.exec(`INSERT INTO rows SELECT id + 1 AS id, 'newland' AS key, position,
      ${columnsOf(database).join(', ')} FROM rows WHERE key = 'testland'`);
    database.close();
    const { text, body } = await asOperator('POST', path);
    expect(body).toMatchObject({ rows: 2, added: 1, removed: 0, changed: 1, samples: { added: ['newland'] } });
    expect(body.samples.changed).toEqual([
      {
        key: 'testland',
        fields: expect.arrayContaining([
          { field: 'active', live: true, other: false },
          { field: 'name', live: '(text)', other: '(text)' },
        ]),
      },
    ]);
    expect(text).not.toContain('Canary');
    const lines = await service.ask('POST', `/operators/projections${path}`, {
      token: service.operatorToken,
      headers: { accept: 'application/x-ndjson' },
    });
    expect(lines.headers['content-type']).toContain('application/x-ndjson');
    expect(JSON.parse(lines.text.trim().split('\n').at(-1) ?? '')).toEqual(body);
    const other = await asOperator('POST', `/regions/generations/${await liveOf('regions')}/compare`);
    expect(other).toMatchObject(refused(`generation ${await liveOf('regions')} of regions is the live one`));
    expect((await asOperator('POST', '/regions/generations/99/compare')).status).toBe(404);
    expect((await asOperator('POST', '/nothing/generations/1/compare')).status).toBe(404);
    expect(await orderOf(service, 'regions', number, 'drop')).toBe(200);
  });

  it('have the rows of a plain fold of the log, one by one, both when rebuilt and when live', async () => {
    const views = ['coupons', 'purchases', 'deals', 'operator-secrets'];
    const numbers = await Promise.all(views.map((view) => rebuild(service, view)));
    await Promise.all(views.map((view, nth) => untilState(service, view, numbers[nth] ?? 0, 'ready')));
    // Written while both generations exist: both follow.
    await service.newUser(key, 'ann@example.org');
    await service.newDeal('later');
    const before = await Promise.all(views.map(liveOf));
    for (const [nth, view] of views.entries()) {
      expect(await orderOf(service, view, numbers[nth] ?? 0, 'promote')).toBe(200);
      if (nth === 0) expect(await orderOf(service, view, before[nth] ?? 0, 'promote')).toBe(200);
    }
    expect((await service.look('/deals/later', key)).status).toBe(200);
    await service.stop();
    const folded = naiveFold(await eventsOf(dataDir));
    for (const [nth, view] of views.entries()) {
      for (const number of [numbers[nth] ?? 0, before[nth] ?? 0]) {
        const rows = rowsOfGeneration(dataDir, view, number);
        expect({ view, number, rows }).toEqual({ view, number, rows: folded.get(view) });
      }
    }
    expect(folded.get('coupons')).toHaveLength(SALES);
    service = await RunningService.start({ dataDir, env: AT });
    expect(await Promise.all(views.map(liveOf))).toEqual([before[0], ...numbers.slice(1)]);
  });

  it('show one that stopped at an event that it cannot take, and go on after it when an operator says so', async () => {
    await service.stop();
    const log = await openLogOf(dataDir);
    const metadata = { time: 1, command_id: 'c', correlation: 'c', causation: null, actor: 'system:test' };
    const event = { type: 'region-set.v1', data: {}, id: 'poison', metadata };
    await log.append([{ stream: 'region-poison', expected: -1, events: [event] }]);
    await log.close();
    service = await RunningService.start({ dataDir, env: AT, unready: true });

    const until = async (state: string): Promise<void> => {
      for (;;) {
        // Right after the start the projector may not have reported yet.
        const { status, body } = await asOperator('GET', '?per_page=1000');
        const views: Json[] = status === 200 ? body.projections : [];
        if (views.find(({ view }) => view === 'regions')?.state === state) return;
      }
    };
    await until('stopped');
    expect(await projectionOf(service, 'regions')).toMatchObject({
      generation: 1,
      lag_events: 1,
      last_error: 'regions cannot take region-poison@0',
    });
    expect(await projectionOf(service, 'deals')).toMatchObject({ state: 'live', lag_events: 0, last_error: null });
    expect((await service.health()).status).toBe(503);
    // Other views go on, and readers see what this view had seen.
    expect((await service.ask('GET', '/regions/testland', { key })).status).toBe(200);
    // The event is still the same, so the view stops at it again.
    expect((await asOperator('POST', '/regions/resume')).body).toEqual({ status: 'success', generation: 1 });
    await until('stopped');
    const { stopped_at } = await projectionOf(service, 'regions');
    expect(stopped_at).toEqual({ position: expect.stringMatching(/^\d+$/), event: 'region-poison@0' });
    const skip = (position: string): Promise<Answer> =>
      service.ask('POST', '/operators/projections/regions/skip', { token: service.operatorToken, body: { position } });
    expect((await asOperator('POST', '/regions/skip')).status).toBe(422);
    expect(await skip('1')).toMatchObject(
      refused(`regions has not stopped at the position 1, but at ${stopped_at.position} (region-poison@0)`),
    );
    expect((await skip(stopped_at.position)).body).toEqual({ status: 'success', generation: 1 });
    await until('live');
    await service.prints('skips region-poison@0, as an operator asked');
    expect(await skip(stopped_at.position)).toMatchObject(refused('regions has not stopped'));
    expect(await projectionOf(service, 'regions')).toMatchObject({ stopped_at: null });
    const written = await service.ask('GET', '/auditors/streams/projection-regions', { token: service.auditorToken });
    expect(written.body.events.slice(-2).map(({ type, actor, data }: Json) => [type, actor, data])).toEqual([
      [
        'projection-ordered.v1',
        'operator:operator',
        { view: 'regions', verb: 'resume', generation: 1, position: null },
      ],
      [
        'projection-ordered.v1',
        'operator:operator',
        { view: 'regions', verb: 'skip', generation: 1, ...{ position: stopped_at.position } },
      ],
    ]);
    expect(await asOperator('POST', '/regions/resume')).toMatchObject(refused('regions has not stopped'));
    await restart();
    expect(await projectionOf(service, 'regions')).toMatchObject({ state: 'live', lag_events: 0, last_error: null });
  });
});
