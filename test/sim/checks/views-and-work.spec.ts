import { describe, expect, it } from '@jest/globals';
import { views } from '#platform/model';
import { ViewsData } from '../world/view-data.js';
import { AtRest } from './at-rest.js';
import { LiveViews } from './live-views.js';
import { madeUpLog, type MadeUp } from './made-up-log.js';
import { NaiveViews } from './naive-views.js';

const region = (name: string): MadeUp => ['region-lisbon', 'region-set.v1', { id: 'lisbon', name, active: true }];
const planned: MadeUp = ['dailyUpdate-plan', 'daily-update-planned.v1', { day: 0, due_at: 500 }];
const regions = views.filter(({ name }) => name === 'regions');

/** A live generation of the regions with this row, which it has from a position, and a checkpoint. */
function live(name: string, position: bigint, checkpoint: bigint): ViewsData {
  const data = new ViewsData();
  const [view] = regions;
  if (view === undefined) throw new Error('there is no view of regions');
  const generation = data.begin(view, 'log');
  const row = { id: 'lisbon', name, active: true };
  generation.write([{ key: 'lisbon', row, position }], { log: 'log', event: 'e', position: checkpoint });
  generation.finished = true;
  data.promote(view, generation.number);
  return data;
}

describe('the views', () => {
  const events = madeUpLog(region('old'), region('new'));
  const ofRegions = new Set(['regions']);
  const naive = new NaiveViews(ofRegions);
  naive.follow(events);

  it('equal a fold from the beginning', () => {
    expect(naive.difference(live('new', 2n, 2n))).toBeUndefined();
    const wrong = 'views equal a fold from the beginning: view regions, row lisbon';
    expect(naive.difference(new ViewsData())?.message).toContain(`${wrong}: no row`);
    expect(naive.difference(live('old', 2n, 2n))?.message).toContain(wrong);
    expect(naive.difference(live('new', 1n, 2n))?.message).toContain(wrong);
    expect(new NaiveViews(ofRegions).difference(live('new', 2n, 2n))?.message).toContain('expected no row');
    const all = new NaiveViews();
    all.follow(events);
    expect(all.difference(live('new', 2n, 2n))?.message).toContain('view event-index');
  });

  it('are the fold up to their checkpoint at any time; rows may come before it', () => {
    const check = (data: ViewsData) => (): void => new LiveViews(data, { events }, regions).check();
    expect(check(live('old', 1n, 1n))).not.toThrow();
    expect(check(live('new', 2n, 2n))).not.toThrow();
    expect(check(live('new', 2n, 1n))).not.toThrow();
    expect(check(live('new', 1n, 1n))).toThrow('a live view is the fold of the log up to its checkpoint');
    expect(check(live('old', 1n, 2n))).toThrow('a live view is the fold of the log up to its checkpoint');
  });
});

describe('work', () => {
  it('is due once its time has come', () => {
    const naive = new NaiveViews();
    naive.follow(madeUpLog(planned));
    expect(naive.dueBefore(500)).toEqual([]);
    expect(naive.dueBefore(501)).toEqual(['daily-updates plan']);
  });

  it('that nobody does, and a view that does not follow, are stuck once nothing fails any more', async () => {
    const stuck = (...made: readonly MadeUp[]): Promise<void> => {
      const scheduler = {
        now: 0,
        sleep(milliseconds: number) {
          scheduler.now += milliseconds;
          return Promise.resolve();
        },
      };
      const installation = { processes: [], log: { events: madeUpLog(...made) }, views: new ViewsData() };
      const workload = { clock: { now: () => 1_000 } };
      const atRest = new AtRest(
        { scheduler } as never,
        installation as never,
        workload as never,
        { answers: {} } as never,
      );
      return atRest.check(() => Promise.resolve());
    };
    await expect(stuck(planned)).rejects.toThrow(
      'nothing is stuck: after the faults: work that is due: daily-updates plan',
    );
    await expect(stuck(region('new'))).rejects.toThrow('views equal a fold from the beginning');
  });
});
