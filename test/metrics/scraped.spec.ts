import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { METRIC_NAMES, METRICS } from '#metrics/table';
import { RunningService } from '../support/running-service.js';

/** Deals and partners of the service that is measured. */
const DEALS = 1_000;
const PARTNERS = 100;
/** Milliseconds that an answer may take, on a machine that has nothing else to do: the fastest of some counts. */
const WITHIN = 50;
const TRIES = 20;

describe('G11.1: /metrics', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await RunningService.start();
    const deal = (nth: number): object => ({ kind: 'deal', slug: `deal-${nth}`, ...DEAL });
    const partner = (nth: number): object => ({ kind: 'partner', slug: `partner-${nth}`, name: `Partner ${nth}` });
    const lines = [
      { kind: 'region', slug: 'testland', name: 'Testland', time_zone: 'America/New_York' },
      ...Array.from({ length: DEALS }, (_, nth) => deal(nth)),
      ...Array.from({ length: PARTNERS }, (_, nth) => partner(nth)),
    ];
    const body = lines.map((line) => JSON.stringify(line)).join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    const answer = await service.ask('POST', '/operators/import', { token: service.operatorToken, body, headers });
    expect(answer.body).toMatchObject({ status: 'success', refused_count: 0 });
  }, 240_000);

  afterAll(() => service.discard());

  const scrape = (token = service.auditorToken) => service.ask('GET', '/metrics', { token });

  it('answers operators and auditors, and nobody else', async () => {
    expect((await service.ask('GET', '/metrics')).status).toBe(401);
    expect((await scrape('wrong')).status).toBe(401);
    const { status, headers } = await scrape(service.operatorToken);
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  });

  it('names every metric of the table with its type and help, and no other', async () => {
    const { text } = await scrape();
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
    expect(types).toEqual(METRIC_NAMES.map((name) => [name, METRICS[name].type]));
  });

  it(`with ${DEALS} deals and ${PARTNERS} partners takes at most ${WITHIN} ms and has at most 2000 series, none of them of a partner`, async () => {
    const took: number[] = [];
    let text = '';
    for (let count = 0; count < TRIES; count += 1) {
      const began = performance.now();
      ({ text } = await scrape());
      took.push(performance.now() - began);
    }
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(series.length).toBeLessThanOrEqual(2_000);
    expect(text).not.toMatch(/partner-\d/);
    expect(Math.min(...took)).toBeLessThanOrEqual(WITHIN);
  });
});

const DEAL = {
  title: 'Lunch for two',
  region_id: 'testland',
  start_at: '2026-01-01T00:00:00Z',
  end_at: '2036-01-01T00:00:00Z',
  current_price: 1_000,
  value: 2_000,
};
