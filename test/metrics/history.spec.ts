import { afterAll, expect, it } from '@jest/globals';
import { buy } from '../support/buying.js';
import { describeOnEmbedded } from '../support/on-embedded.js';
import { discardLeftovers, type Json, RunningService } from '../support/running-service.js';

describeOnEmbedded('G11.5: GET /operators/metrics', () => {
  afterAll(discardLeftovers);

  const shown = async (service: RunningService, span: string): Promise<Json> =>
    (
      await service.ask('GET', `/operators/metrics?span=${span}&series=sales_per_second`, {
        token: service.auditorToken,
      })
    ).body;
  /** The units that each process has sold, the oldest process first. */
  const soldIn = ({ processes, series }: Json): readonly number[] =>
    (processes as readonly { readonly id: string; readonly started_at: string }[])
      .toSorted((one, other) => (one.started_at < other.started_at ? -1 : 1))
      .map(({ id }) =>
        (series.sales_per_second.by_process[id] as readonly (number | null)[]).reduce<number>(
          (sum, each) => sum + (each ?? 0),
          0,
        ),
      );

  it('shows what a process has measured after it was stopped and another one started', async () => {
    const first = await RunningService.start();
    const { key } = await first.newPartner('acme');
    await first.newDeal('lunch');
    const user = await first.newUser(key, 'ann@example.com');
    for (const units of [1, 2]) await buy(first, key, 'lunch', user, units);
    while (soldIn(await shown(first, 'hour'))[0] !== 3);
    const [{ id }] = (await shown(first, 'hour')).processes;
    await first.stop();

    const second = await RunningService.start({ dataDir: first.dataDir });
    await buy(second, key, 'lunch', user);
    while (soldIn(await shown(second, 'hour'))[1] !== 1);
    const hour = await shown(second, 'hour');
    expect(soldIn(hour)).toEqual([3, 1]);
    const all = (hour.series.sales_per_second.sum as readonly (number | null)[]).map((each) => each ?? 0);
    expect(all.reduce((sum, each) => sum + each, 0)).toBe(4);
    const day = await shown(second, 'day');
    expect(day.processes).toHaveLength(2);
    expect(Object.keys(day.series.sales_per_second.by_process)).toContain(id);
    await second.stop();
  });
});
