import { describe, expect, it } from '@jest/globals';
import { Durations, MINUTE, SECOND } from '#kernel';
import { type HotDealThen, METRICS_ENTRIES, type Measured, MetricsHistory, type Sample, StoredMetrics } from '#metrics';
import { KeyValuesInMemory } from '../../../test/support/key-values-in-memory.js';
import { VirtualTime } from '../../../test/support/virtual-time.js';

const HOUR = 60 * MINUTE;

/** What a process measures, as a test says it. */
class Told implements Measured {
  units = 0;
  holds: number | null = 0;
  refusals: Readonly<Record<string, number>> = {};
  /** Milliseconds of the requests of each second. */
  took: readonly number[] = [];
  deals: readonly HotDealThen[] = [];

  sample(at: number): Sample {
    const durations = new Durations();
    for (const each of this.took) durations.note(each);
    return {
      at,
      rates: [this.units, this.took.length, 0, 0, 0, 0],
      gauges: [this.holds, 0, 0, 0, 0],
      timed: [durations.since(Durations.none()), []],
      refusals: this.refusals,
    };
  }

  hottest(): readonly HotDealThen[] {
    return this.deals;
  }
}

class Shop {
  readonly time = new VirtualTime();
  readonly keyValues = new KeyValuesInMemory();
  #started = 0;

  begin(role = 'all', mayWrite = true): { readonly told: Told; readonly history: MetricsHistory; readonly id: string } {
    const told = new Told();
    const id = `${role}-${(this.#started += 1)}`;
    const history = new MetricsHistory({
      ...{ measured: told, time: this.time, role, id },
      stored: new StoredMetrics(this.keyValues),
      mayWrite: () => mayWrite,
    });
    history.start();
    return { told, history, id };
  }
}

const known = (values: readonly (number | null)[] = []): readonly number[] => values.filter((value) => value !== null);

describe('G11.5: what processes have measured', () => {
  it('is the last hour by the second, and the last day by the minute', async () => {
    const shop = new Shop();
    const { told, history } = shop.begin();
    told.units = 3;
    told.holds = 7;
    await shop.time.pass(61 * MINUTE);
    const hour = await history.read({ span: 'hour', series: ['sales_per_second', 'holds_open'] });
    expect([hour.step, hour.series['sales_per_second']?.sum]).toEqual([1, Array.from({ length: 3_600 }, () => 3)]);
    expect(new Set(hour.series['holds_open']?.sum)).toEqual(new Set([7]));
    const day = await history.read({ span: 'day', series: ['sales_per_second'] });
    expect([day.step, day.series['sales_per_second']?.sum.length]).toEqual([60, 1_440]);
    expect(known(day.series['sales_per_second']?.sum).slice(1)).toEqual(Array.from({ length: 60 }, () => 3));
    expect(Date.parse(day.to) - Date.parse(day.from)).toBe(1_439 * MINUTE);
  });

  it('outlasts a restart without a gap but that of the restart itself, because a stop stores the last seconds', async () => {
    const shop = new Shop();
    const first = shop.begin();
    first.told.units = 5;
    await shop.time.pass(103 * SECOND);
    await first.history.close();
    const second = shop.begin();
    second.told.units = 2;
    await shop.time.pass(10 * SECOND);
    const { series, processes } = await second.history.read({ span: 'hour', series: ['sales_per_second'] });
    const { sum, by_process } = series['sales_per_second'] ?? {};
    expect(known(sum)).toEqual([...Array.from({ length: 103 }, () => 5), ...Array.from({ length: 10 }, () => 2)]);
    expect(known(by_process?.[first.id])).toHaveLength(103);
    expect(processes.map(({ id, live }) => [id, live])).toEqual([
      [second.id, true],
      [first.id, true],
    ]);
  });

  it('keeps minutes of a day across restarts, too', async () => {
    const shop = new Shop();
    const first = shop.begin();
    first.told.units = 4;
    await shop.time.pass(30 * MINUTE);
    await first.history.close();
    const second = shop.begin();
    shop.time.leap(5 * HOUR);
    const { series } = await second.history.read({ span: 'day', series: ['sales_per_second'] });
    const units = known(series['sales_per_second']?.by_process[first.id]);
    // It began within the first minute, and the one in which it was stopped ends nowhere.
    expect(units.slice(1)).toEqual(Array.from({ length: 29 }, () => 4));
  });

  it('is missing for at most the last ten seconds if the process is killed', async () => {
    const shop = new Shop();
    const killed = shop.begin();
    await shop.time.pass(59 * SECOND);
    const next = shop.begin();
    const { series } = await next.history.read({ span: 'hour', series: ['sales_per_second'] });
    expect(known(series['sales_per_second']?.by_process[killed.id]).length).toBeGreaterThanOrEqual(49);
  });

  it('is summed over processes: rates are added, quantiles are those of all calls, shared values count once', async () => {
    const shop = new Shop();
    const [one, other] = [shop.begin('api'), shop.begin('api')];
    Object.assign(one.told, { units: 2, holds: 40, took: Array.from({ length: 99 }, () => 1) });
    Object.assign(other.told, { units: 3, holds: 41, took: [1_000], refusals: { declined: 2 } });
    await shop.time.pass(30 * SECOND);
    const { series } = await one.history.read({ span: 'hour' });
    const at = (name: string): number | null | undefined => series[name]?.sum.at(-12);
    expect(at('sales_per_second')).toBe(5);
    expect(at('holds_open')).toBe(41);
    expect([at('request_p50'), at('request_p99')]).toEqual([1, 1]);
    expect(at('refusals_per_second.declined')).toBe(2);
    expect(series['request_p99']?.by_process[other.id]?.at(-12)).toBeGreaterThanOrEqual(1_000);
    const only = await one.history.read({ span: 'hour', process: other.id, series: ['sales_per_second'] });
    expect(only.series['sales_per_second']?.sum.at(-12)).toBe(3);
  });

  it('has the newest second of all, and the hottest deals, each once', async () => {
    const shop = new Shop();
    const [one, other] = [shop.begin('api'), shop.begin('api')];
    one.told.units = 2;
    one.told.deals = [{ slug: 'lunch', units_left: 10, sold_per_second: 2 }];
    other.told.units = 3;
    other.told.deals = [
      { slug: 'lunch', units_left: 8, sold_per_second: 1 },
      { slug: 'spa', units_left: null, sold_per_second: 2 },
    ];
    await shop.time.pass(30 * SECOND);
    const { values, hottest_deals, processes } = one.history.newest();
    expect([values['sales_per_second'], processes]).toEqual([5, 2]);
    expect(hottest_deals).toEqual([
      { slug: 'lunch', units_left: 8, sold_per_second: 3 },
      { slug: 'spa', units_left: null, sold_per_second: 2 },
    ]);
    await other.history.close();
    await shop.time.pass(MINUTE);
    expect(one.history.newest().values['sales_per_second']).toBe(2);
  });

  it('of a process that is gone for a day vanishes, and the store never has more entries than a fixed number', async () => {
    const shop = new Shop();
    for (let restart = 0; restart < 100; restart += 1) {
      const { history } = shop.begin();
      await shop.time.pass(2 * SECOND);
      await history.close();
    }
    const last = shop.begin();
    await shop.time.pass(20 * SECOND);
    expect(await last.history.processes()).toHaveLength(64);
    const entries = shop.keyValues.texts.size;
    shop.time.leap(25 * HOUR);
    await shop.time.pass(20 * SECOND);
    expect(await last.history.processes()).toHaveLength(1);
    expect(shop.keyValues.texts.size).toBeLessThanOrEqual(entries + 2);
    for (const name of shop.keyValues.texts.keys()) expect(name.startsWith(METRICS_ENTRIES)).toBe(true);
  });

  it('is written every ten seconds, and not beside a log that is refused', async () => {
    const shop = new Shop();
    const { history } = shop.begin('all', false);
    await shop.time.pass(MINUTE);
    await history.close();
    expect(shop.keyValues.texts.size).toBe(0);
    expect(
      known((await history.read({ span: 'hour', series: ['holds_open'] })).series['holds_open']?.sum),
    ).toHaveLength(60);
  });

  it('is kept in memory while the store does not answer, and stored when it is back', async () => {
    const shop = new Shop();
    const { history, id, told } = shop.begin();
    told.units = 1;
    const { replace, insert } = shop.keyValues;
    const away = (): Promise<never> => Promise.reject(new Error('away'));
    Object.assign(shop.keyValues, { replace: away, insert: away });
    await shop.time.pass(5 * MINUTE);
    Object.assign(shop.keyValues, { replace, insert });
    await shop.time.pass(20 * SECOND);
    await history.close();
    const next = shop.begin();
    const { series } = await next.history.read({ span: 'hour', series: ['sales_per_second'] });
    expect(known(series['sales_per_second']?.by_process[id])).toHaveLength(320);
  });

  it('forgets what has become the future if the clock is set back', async () => {
    const shop = new Shop();
    const { history } = shop.begin();
    await shop.time.pass(MINUTE);
    shop.time.leap(-30 * SECOND);
    await shop.time.pass(10 * SECOND);
    const { series } = await history.read({ span: 'hour', series: ['holds_open'] });
    expect(known(series['holds_open']?.sum)).toHaveLength(40);
  });
});
