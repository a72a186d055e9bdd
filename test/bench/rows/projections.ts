import { setTimeout as pause } from 'node:timers/promises';
import type { RunningService } from '../../support/running-service.js';
import { orderOf, rebuild, untilState } from '../../support/rebuilding.js';

/** Milliseconds between two tries to drop a generation, which a reader may still hold. */
const AGAIN = 50;

/** Builds these views anew beside the live ones, together. @returns seconds until all are ready; what was built is dropped */
export async function rebuildSeconds(service: RunningService, views: readonly string[]): Promise<number> {
  const began = performance.now();
  const numbers = await Promise.all(views.map((view) => rebuild(service, view)));
  await Promise.all(views.map((view, index) => untilState(service, view, numbers[index] ?? 0, 'ready')));
  const seconds = (performance.now() - began) / 1_000;
  for (const [index, view] of views.entries()) {
    while ((await orderOf(service, view, numbers[index] ?? 0, 'drop')) !== 200) await pause(AGAIN);
  }
  return seconds;
}

/** The names of all views. */
export async function viewNames(service: RunningService): Promise<readonly string[]> {
  const { projections } = await service.operate('GET', '/projections?per_page=1000');
  return (projections as { view: string }[]).map(({ view }) => view);
}
