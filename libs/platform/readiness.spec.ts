import { expect, it } from '@jest/globals';
import pino from 'pino';
import type { Time } from '#eventsourcing';
import { untilReady, untilViewsEnd } from './readiness.js';
import type { Service } from './service.js';

const MINUTE = 60_000;

/** A start that waits until a view is live, for so many milliseconds. @returns how long it took, and how often it checked */
async function startFor(milliseconds: number): Promise<{ readonly took: number; readonly checks: number }> {
  let now = 0;
  let checks = 0;
  const time = {
    monotonic: () => now,
    every: () => undefined,
    after: () => undefined,
    cancel: () => undefined,
    pause: async (pause: number) => {
      now += pause;
    },
  } as unknown as Time;
  const service = {
    engine: { time, log: { head: async () => 7n } },
    logFailure: () => undefined,
    logStalled: () => false,
    logRefusals: () => [],
    guard: { findings: [], unreported: 0, refused: false, uncertain: false, lapsed: false },
    ledger: { findings: [] },
    projections: {
      report() {
        const state = now < milliseconds ? 'stopped' : 'live';
        return { views: [{ view: 'deals', generation: 1, position: 7n, state, lagEvents: 0, error: null }] };
      },
      silentFor: () => 0,
      failure: () => undefined,
    },
    stuck: async () => {
      checks += 1;
      return [];
    },
    audits: { selfAudit: () => undefined },
    isRedisAway: () => undefined,
  } as unknown as Service;
  await untilReady(service, pino({ level: 'silent' }));
  return { took: now, checks };
}

it('a start is ready soon after what it waits for', async () => {
  for (const waits of [5, 100, 1_000, 10_000]) {
    const { took } = await startFor(waits);
    expect(took).toBeGreaterThanOrEqual(waits);
    expect(took).toBeLessThanOrEqual(waits + Math.max(20, waits / 10));
  }
});

it('a start that waits for minutes asks the servers seldom', async () => {
  const { took, checks } = await startFor(3 * MINUTE);
  expect(took).toBeLessThanOrEqual(3 * MINUTE + 500);
  expect(checks).toBeLessThan(3 * 140);
});

/** Waits for views as somebody who only reads, beside a view that is in this state for ever. */
function untilEndWith(view: object, failure?: string): Promise<void> {
  const service = {
    engine: {
      time: {
        monotonic: () => 0,
        every: () => undefined,
        cancel: () => undefined,
        pause: () => Promise.reject(new Error('waits')),
      },
      log: { head: async () => 7n },
    },
    guard: { refused: false },
    projections: {
      report: () => ({ views: [{ view: 'deals', generation: 1, position: 3n, lagEvents: 4, error: null, ...view }] }),
      failure: () => failure,
    },
  } as unknown as Service;
  return untilViewsEnd(service, pino({ level: 'silent' }));
}

it('whoever only reads waits for a view that goes on, but for none that has stopped, and not if nothing builds them', async () => {
  await expect(untilEndWith({ state: 'live' })).rejects.toThrow('waits');
  await expect(untilEndWith({ state: 'live', position: 7n })).resolves.toBeUndefined();
  await expect(untilEndWith({ state: 'stopped', generation: null })).resolves.toBeUndefined();
  await expect(untilEndWith({ state: 'live' }, 'the event at position 4 is not JSON')).resolves.toBeUndefined();
});
