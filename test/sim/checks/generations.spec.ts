import { describe, expect, it } from '@jest/globals';
import { views } from '#platform/model';
import type { View } from '#kernel';
import { ViewsData } from '../world/view-data.js';
import { Checks } from './checks.js';
import { checkGenerations } from './generations.js';
import { madeUpLog } from './made-up-log.js';

const [VIEW] = views as [View];

describe('what operators see of projections', () => {
  const check = (stored: readonly number[], ...generations: readonly (readonly [number, string])[]): Promise<void> => {
    const text = (path: string): string =>
      JSON.stringify({
        generations: path.includes(`/${VIEW.name}/`) ? generations.map(([number, state]) => ({ number, state })) : [],
      });
    return checkGenerations(({ path }) => Promise.resolve({ status: 200, headers: {}, text: text(path) }), {
      of: (view) => (view === VIEW ? stored.map((number) => ({ number })) : []) as never,
    });
  };

  it('is what is stored, in any order, and what has failed or was cancelled', async () => {
    await expect(check([2, 1], [1, 'live'], [2, 'ready'], [3, 'cancelled'], [4, 'failed'])).resolves.toBeUndefined();
  });

  it('is violated by a build that is gone for them and still stored, and by one that only they see', async () => {
    const words = `a dropped build is gone: view ${VIEW.name}`;
    await expect(check([1, 2], [1, 'live'], [2, 'cancelled'])).rejects.toThrow(
      `${words}: 1,2 are stored; operators see 1`,
    );
    await expect(check([1], [1, 'live'], [2, 'ready'])).rejects.toThrow(words);
  });
});

describe('the live generation of a view', () => {
  /** What a world fails with while views are promoted and dropped. */
  const failed = (
    happens: (data: ViewsData) => void,
    struck: ReadonlyMap<string, number> = new Map(),
  ): string | undefined => {
    let failure: string | undefined;
    const world = { faults: { struck }, fail: (error: Error) => (failure = error.message) };
    const log = { events: madeUpLog(['region-lisbon', 'region-set.v1', {}]), onWritten: () => undefined };
    const data = new ViewsData();
    new Checks(world as never, { views: data, log } as never);
    happens(data);
    return failure;
  };
  const built = (data: ViewsData, position: bigint, event = 'event-0'): number => {
    const generation = data.begin(VIEW, 'log');
    generation.write([], { log: 'log', event, position });
    generation.finished = true;
    data.promote(VIEW, generation.number);
    return generation.number;
  };

  it('is whole when it goes live', () => {
    expect(failed((data) => built(data, 1n))).toBeUndefined();
    const early = failed((data) => {
      const { number } = data.begin(VIEW, 'log');
      expect(() => data.promote(VIEW, number)).toThrow('has no finished generation');
    });
    expect(early).toBe(`a generation goes live when it is whole: view ${VIEW.name}: 1 is not`);
  });

  it('is not thrown away while it is right', () => {
    const drop = (data: ViewsData): void => data.drop(VIEW, built(data, 1n));
    expect(failed(drop)).toBe(`no right view is thrown away: view ${VIEW.name}: generation 1 at 1`);
    expect(failed(drop, new Map([['disk: a file of a view is damaged', 1]]))).toBeUndefined();
    const replaced = failed((data) => {
      const before = built(data, 1n);
      built(data, 1n);
      data.drop(VIEW, before);
    });
    expect(replaced).toBeUndefined();
    expect(failed((data) => data.drop(VIEW, built(data, 0n)))).toBeUndefined();
    expect(failed((data) => data.drop(VIEW, built(data, 1n, 'of another log')))).toBeUndefined();
  });
});
