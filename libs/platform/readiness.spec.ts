import { expect, it } from '@jest/globals';
import pino from 'pino';
import type { Time } from '#eventsourcing';
import { untilReady } from './readiness.js';
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
