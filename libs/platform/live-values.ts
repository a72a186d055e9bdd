import { isoTime } from '#kernel';
import type { ServiceHealth } from './health/service-health.js';
import type { Service } from './service.js';

/** What every open console shows of this moment: the time of the service, its health and its figures. It names no person. */
export async function liveValues({ engine, metrics }: Service, health: ServiceHealth): Promise<object> {
  return { now: isoTime(engine.clock.now()), health: await health.check(), newest: metrics.history.newest() };
}
