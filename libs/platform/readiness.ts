import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '#eventsourcing';
import type { Position } from '#kernel';
import { ServiceHealth } from './health/service-health.js';
import type { Service } from './service.js';

/** Milliseconds between two looks. */
const LOOK_EVERY = 20;

/**
 * Waits until the views have seen the log as it is now, which holds what the start itself wrote (the first tokens, the
 * demo), and until the service says of itself that it is ready. A view that stopped keeps it waiting until an operator helps.
 * @throws Unavailable where the log is refused meanwhile
 */
export async function untilReady(service: Service): Promise<void> {
  const head = await headOf(service);
  while (!viewsReached(service, head)) await lookAgain(service);
  service.prepared = true;
  const health = new ServiceHealth(service);
  while (!(await health.check()).ready) await lookAgain(service);
}

async function lookAgain({ guard }: Service): Promise<void> {
  if (guard.refused) throw new Unavailable('the event log needs an operator: see /health/ready', 10);
  await pause(LOOK_EVERY);
}

async function headOf({ engine }: Service): Promise<Position> {
  for (;;) {
    try {
      return await engine.log.head();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      await pause(LOOK_EVERY);
    }
  }
}

function viewsReached({ projections }: Service, head: Position): boolean {
  const views = projections.report()?.views ?? [];
  return views.length > 0 && views.every(({ generation, position }) => generation !== null && position >= head);
}
