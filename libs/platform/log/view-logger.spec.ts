import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { GenerationStatus, ViewStatus } from '#eventsourcing';
import { ViewLogger } from './view-logger.js';

const build = (number: number, state: GenerationStatus['state'], error: string | null = null): GenerationStatus => ({
  ...{ number, state, error, position: 1n, progress: 0.5, eventsPerSecond: 1, timeLeft: null },
});

describe('what the log says of views', () => {
  /** The lines after each of these reports of the view `coupons`, of which generation 1 is live. */
  function logged(...reports: readonly (readonly GenerationStatus[])[]): readonly unknown[] {
    const lines: unknown[] = [];
    const write = (line: string): void => {
      const { level, generation, error, msg } = JSON.parse(line) as Record<string, unknown>;
      lines.push([level, generation, msg, ...(error === undefined ? [] : [error])]);
    };
    const logger = new ViewLogger(pino({}, { write }));
    for (const generations of reports) {
      const live = generations.findLast(({ state }) => state === 'live')?.number ?? null;
      const view = { view: 'coupons', version: 1, generation: live, position: 1n, lagEvents: 0, lagSeconds: 0 };
      const status: ViewStatus = { ...view, state: 'live', error: null, generations };
      logger.logChanges({ views: [status] });
    }
    return lines;
  }

  const LIVE = build(1, 'live');

  it('is nothing of what was there at the start', () => {
    expect(logged([LIVE, build(2, 'building')], [LIVE, build(2, 'building')])).toEqual([]);
  });

  it('is the way of a rebuild that is promoted', () => {
    const [begun, ready] = [build(2, 'building'), build(2, 'ready')];
    expect(logged([LIVE], [LIVE, begun], [LIVE, begun], [LIVE, ready], [build(1, 'ready'), build(2, 'live')])).toEqual([
      [30, 2, 'the build of a view has begun'],
      [30, 2, 'the build of a view is ready to be promoted'],
      [30, 2, 'a view was promoted'],
    ]);
  });

  it('distinguishes one that failed from one that was cancelled', () => {
    const begun = build(2, 'building');
    const failed = build(2, 'failed', 'the disk is full');
    expect(logged([LIVE, begun], [LIVE, failed], [LIVE, failed])).toEqual([
      [50, 2, 'the build of a view has failed', 'the disk is full'],
    ]);
    expect(logged([LIVE, begun], [LIVE, build(2, 'cancelled')])).toEqual([
      [30, 2, 'the build of a view was cancelled'],
    ]);
  });
});
