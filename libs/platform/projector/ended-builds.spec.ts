import { describe, expect, it } from '@jest/globals';
import type { GenerationStatus, ProjectorReport } from '#eventsourcing';
import { EndedBuilds } from './ended-builds.js';

function generation(number: number, state: GenerationStatus['state']): GenerationStatus {
  return { number, state, position: 5n, progress: 0.5, eventsPerSecond: 100, timeLeft: 9, error: null };
}

function report(...generations: readonly GenerationStatus[]): ProjectorReport {
  const view = { view: 'coupons', version: 1, generation: 1, position: 9n, lagEvents: 0, lagSeconds: 0, error: null };
  return { views: [{ ...view, state: 'live', generations }], head: 9n, changed: [], due: {} };
}

const statesOf = (shown: ProjectorReport): unknown =>
  shown.views[0]?.generations.map(({ number, state, error }) => [number, state, error]);

describe('G6: builds that are no more', () => {
  const LIVE = generation(1, 'live');

  it('are reported as failed, and why, where the projector broke and could not go on with them', () => {
    const ended = new EndedBuilds();
    ended.broke(report(LIVE, generation(2, 'building')), 'the disk is full');
    const shown = ended.addedTo(report(LIVE));
    expect(statesOf(shown)).toEqual([
      [1, 'live', null],
      [2, 'failed', 'the disk is full'],
    ]);
    expect(shown.views[0]?.generations[1]).toMatchObject({ eventsPerSecond: 0, timeLeft: null, progress: 0.5 });
    expect(statesOf(ended.addedTo(report(LIVE, generation(3, 'building'))))).toHaveLength(3);
  });

  it('go on where the projector could, and are reported as they are', () => {
    const ended = new EndedBuilds();
    ended.broke(report(LIVE, generation(2, 'building')), 'MongoDB is away');
    expect(statesOf(ended.addedTo(report(LIVE, generation(2, 'building'))))).toEqual([
      [1, 'live', null],
      [2, 'building', null],
    ]);
    expect(statesOf(ended.addedTo(report(LIVE)))).toEqual([[1, 'live', null]]);
  });

  it('have failed of what broke the projector last, where it broke again before it reported anything', () => {
    const ended = new EndedBuilds();
    ended.broke(report(generation(2, 'building')), 'the first');
    ended.broke(report(generation(2, 'building')), 'the second');
    expect(statesOf(ended.addedTo(report(LIVE)))).toContainEqual([2, 'failed', 'the second']);
  });

  it('are reported as cancelled, where an operator did that; the last ten', () => {
    const ended = new EndedBuilds();
    for (let number = 2; number < 20; number += 1)
      ended.cancelled(report(LIVE, generation(number, 'building')), 'coupons', number);
    const shown = statesOf(ended.addedTo(report(LIVE))) as readonly unknown[];
    expect(shown).toHaveLength(11);
    expect(shown.at(-1)).toEqual([19, 'cancelled', null]);
  });
});
