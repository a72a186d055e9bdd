import { isoTime, SECOND } from '#kernel';
import { ServiceHealth, stuckNow } from './health/service-health.js';
import { Look } from './metrics/look.js';
import type { Service } from './service.js';

/** Milliseconds between two looks at the work lists: a view each, and what is stuck has failed for hours. */
const STUCK_EVERY = 5 * SECOND;

/**
 * Makes what every open console shows of a moment: the time of the service, its health and its figures. It names no person.
 * @returns makes the values of this moment
 */
export function liveValuesOf(service: Service): () => Promise<object> {
  const { engine, metrics } = service;
  const stuck = new Look(() => stuckNow(service), STUCK_EVERY, engine.time);
  const health = new ServiceHealth(service, () => stuck.renewed());
  return async () => ({
    now: isoTime(engine.clock.now()),
    health: await health.check(),
    newest: metrics.history.newest(),
  });
}
