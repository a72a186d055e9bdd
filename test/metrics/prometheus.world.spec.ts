import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy, reserve } from '../support/buying.js';
import { PROMETHEUS, promtool, Prometheus } from '../support/prometheus.js';
import { RunningService } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';
import { ALERTS, panels, ruleTests } from './pages.js';

if (PROMETHEUS === undefined)
  process.stderr.write('Prometheus or promtool is missing: the tests of metrics with it (G11.1) DID NOT RUN.\n');

const RULES = resolve('deploy/prometheus/rules.yml');

/** Panels whose queries find nothing in a service that is well, and has no server beside it. */
const EMPTY_WHEN_WELL = new Set(['viewState', 'servers', 'gatewayTime', 'gateway', 'audit']);

(PROMETHEUS === undefined ? describe.skip : describe)(`G11.1: metrics by ${PROMETHEUS}`, () => {
  const folder = tempFolder();
  let service: RunningService;
  let prometheus: Prometheus;

  beforeAll(async () => {
    service = await RunningService.start();
    const { key } = await service.newPartner('acme');
    await service.newDeal('lunch');
    for (let nth = 0; nth < 5; nth += 1) await reserve(service, key, 'lunch');
    await buy(service, key, 'lunch', await service.newUser(key, 'ann@example.com'));
    await service.ask('GET', '/deals/lunch', { key });
    await service.ask('GET', '/v1/deals?region=testland', { key });
    await service.ask('GET', '/deals/nothing', { key });
    prometheus = await Prometheus.start(folder.path, [service.url], service.auditorToken, RULES);
  }, 240_000);

  afterAll(async () => {
    await prometheus.stop();
    await service.discard();
    folder.remove();
  });

  it('are a sound text', async () => {
    const { text } = await service.ask('GET', '/metrics', { token: service.auditorToken });
    expect(promtool(['check', 'metrics'], text)).toEqual({ isSound: true, says: '' });
  });

  it('have sound rules, each of which fires where it must and rests where it must', () => {
    expect(promtool(['check', 'rules', RULES])).toMatchObject({ isSound: true });
    const file = join(folder.path, 'tests.yml');
    writeFileSync(file, JSON.stringify(ruleTests(RULES)));
    const { isSound, says } = promtool(['test', 'rules', file]);
    expect(isSound ? '' : says).toBe('');
  });

  it.each(panels())('answer the queries of the panel %s', async (panel, queries) => {
    for (const { query } of queries) {
      const found = await prometheus.ask(query.replaceAll('$__rate_interval', '1m'));
      if (!EMPTY_WHEN_WELL.has(panel)) expect([query, found.length > 0]).toEqual([query, true]);
    }
  });

  it('say what was sold, and that nothing was oversold', async () => {
    const valueOf = async (query: string): Promise<number> => Number((await prometheus.ask(query))[0]?.value[1]);
    expect(await valueOf('sum(holdfast_holds_total{event="placed"})')).toBeGreaterThanOrEqual(5);
    expect(await valueOf('sum(holdfast_units_sold_total)')).toBe(1);
    expect(await valueOf('max(holdfast_holds_open)')).toBe(5);
    expect(await valueOf('max(holdfast_units_oversold)')).toBe(0);
    expect(await valueOf('holdfast_requests_total{route="/deals/:deal_id",status="404"}')).toBe(1);
  });

  it.each(ALERTS)('have a rule $name whose expression can be asked', async ({ expr }) => {
    await prometheus.ask(expr);
  });
});
