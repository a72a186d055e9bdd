import { expect } from '@jest/globals';
import type { ViewRow } from '../../support/data-folder.js';
import { orderOf, projectionOf, rebuild, untilLive, untilState, untilStates } from '../../support/rebuilding.js';
import type { RunningService } from '../../support/running-service.js';
import { nothingSeen, shopUntil, type Seen } from './shoppers.js';

/** The service on one set of engines, and the data of its engines. */
export interface Engines {
  /** Starts a service that has already sold much. */
  start(): Promise<RunningService>;
  /** The rows of every view's live generation, once the service has stopped. */
  rows(): Promise<ReadonlyMap<string, readonly ViewRow[]>>;
  /** The rows of every view by a plain fold of its log. */
  folded(): Promise<ReadonlyMap<string, readonly ViewRow[]>>;
}

/** The result of a campaign, for those who run it. */
export interface Rebuilt {
  readonly rounds: number;
  readonly rebuilt: number;
  readonly cancelled: number;
  readonly seen: Seen;
  /** The largest lag of a live view while others were built, in events. */
  readonly mostLag: number;
  /** The fastest rebuild, in events per second. */
  readonly fastest: number;
}

/** Views of every kind: for shoppers, for authentication, for lists of deals, and work lists. */
const VIEWS = ['coupons', 'purchases', 'users', 'deals', 'deal-listing', 'regions', 'api-keys', 'hold-expiry'];

/**
 * Rebuilds view after view, some at once, while shoppers buy and read: each is cancelled once, promoted, replaced by the old one
 * and promoted again. No read may fail meanwhile, and in the end every view must agree with the log.
 */
export async function rebuildUnderLoad(engines: Engines, rounds: number): Promise<Rebuilt> {
  const service = await engines.start();
  await caughtUp(service);
  await caughtUp(service);
  const seen = nothingSeen();
  const over = new AbortController();
  const shopping = shopUntil(service, seen, over.signal);
  // The end of the campaign waits for it and reports its failure.
  shopping.catch(() => undefined);
  let [rebuilt, cancelled, mostLag, fastest] = [0, 0, 0, 0];
  const watching = (async () => {
    while (!over.signal.aborted) {
      const { projections } = await service.operate('GET', '/projections?per_page=1000');
      mostLag = Math.max(
        mostLag,
        ...(projections as { lag_events: number | null }[]).map((each) => each.lag_events ?? 0),
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  watching.catch(() => undefined);

  const through = async (view: string): Promise<void> => {
    const before = await projectionOf(service, view);
    const dropped = await rebuild(service, view);
    expect(await orderOf(service, view, dropped, 'cancel')).toBe(200);
    await untilStates(service, view, { [before.generation]: 'live' });
    cancelled += 1;

    const number = await rebuild(service, view);
    expect(number).toBeGreaterThan(dropped);
    const reports = await untilState(service, view, number, 'ready');
    const positions = reports.map((each) => Number(each.position));
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    fastest = Math.max(fastest, ...reports.map((each) => each.events_per_second as number));
    for (const live of [number, before.generation, number]) {
      await service.operate('POST', `/projections/${view}/generations/${live}/promote`);
      await untilLive(service, view, live);
    }
    expect(await orderOf(service, view, number, 'drop')).toBe(422);
    expect(await orderOf(service, view, before.generation, 'drop')).toBe(200);
    await untilStates(service, view, { [number]: 'live' });
    rebuilt += 1;
  };

  for (let round = 0; round < rounds; round += 1) {
    // One by one and in pairs, so that every view is also rebuilt beside another one's rebuild.
    const [first = '', second = ''] = [VIEWS[round % VIEWS.length], VIEWS[(round + 1) % VIEWS.length]];
    await Promise.all(round % 2 === 0 ? [through(first)] : [through(first), through(second)]);
  }
  over.abort();
  await Promise.all([shopping, watching]);
  await caughtUp(service);
  await service.stop();

  const [rows, folded] = [await engines.rows(), await engines.folded()];
  expect([...rows.keys()].sort()).toEqual([...folded.keys()].sort());
  for (const [view, expected] of folded) expect({ view, rows: rows.get(view) }).toEqual({ view, rows: expected });
  return { rounds, rebuilt, cancelled, seen, mostLag, fastest };
}

/** Waits until every view has seen the whole log, twice in a row: the first time may have led to more events. */
async function caughtUp(service: RunningService): Promise<void> {
  for (let level = 0; level < 2;) {
    const { projections } = await service.operate('GET', '/projections?per_page=1000');
    const isLevel = (projections as { lag_events: number }[]).every((each) => each.lag_events === 0);
    level = isLevel ? level + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
