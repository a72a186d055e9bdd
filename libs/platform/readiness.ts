import type { Logger } from 'pino';
import { Unavailable } from '#eventsourcing';
import type { Position } from '#kernel';
import { type Health, ServiceHealth } from './health/service-health.js';
import { logWaits } from './log/log-waits.js';
import type { Service } from './service.js';

/** Milliseconds between two checks. */
const LOOK_EVERY = 20;

/**
 * Waits until the views have reached the present end of the log, which includes the first tokens and the demo, and until the
 * health check says that the service is ready. If a view has stopped, it waits until an operator helps.
 * @throws Unavailable if the log is refused meanwhile
 */
export async function untilReady(service: Service, log: Logger): Promise<void> {
  const { time } = service.engine;
  const head = await logWaits({ log, time }, 'the event log', () => headOf(service));
  const late = (): string => `views that are behind the log: ${lateViews(service, head).join(', ')}`;
  await logWaits({ log, time }, late, async () => {
    while (!viewsReached(service, head)) await lookAgain(service);
  });
  service.prepared = true;
  const health = new ServiceHealth(service);
  let last: Health | undefined;
  await logWaits(
    { log, time },
    () => hindrancesOf(last).join('; '),
    async () => {
      while (!(last = await health.check()).ready) await lookAgain(service);
    },
  );
}

function lateViews({ projections }: Service, head: Position): string[] {
  const views = projections.report()?.views ?? [];
  if (views.length === 0)
    return ['all (no report from the projector: if processes share the work, does a worker run?)'];
  return views
    .filter(({ generation, position }) => generation === null || position < head)
    .map(
      ({ view, state, lagEvents, error }) =>
        `${view} (${state}, ${lagEvents} events behind${error === null ? '' : `: ${error}`})`,
    );
}

/** Why a service is not ready, in the words of /health/ready. */
function hindrancesOf(health: Health | undefined): string[] {
  if (health === undefined) return ['an answer about its health'];
  const { log, findings, views, stuck } = health;
  return [
    ...(log.error === null ? [] : [`the event log: ${log.error}`]),
    ...findings.map(({ words }) => words),
    ...views.flatMap(({ view, state, error }) =>
      state === 'live' ? [] : [`view ${view}: ${state}, ${error ?? 'no error'}`],
    ),
    ...(stuck === null ? ['the work lists, which do not answer'] : []),
  ];
}

async function lookAgain({ guard, engine }: Service): Promise<void> {
  if (guard.refused) throw new Unavailable('the event log needs an operator: see /health/ready', 10);
  await engine.time.pause(LOOK_EVERY);
}

async function headOf({ engine }: Service): Promise<Position> {
  for (;;) {
    try {
      return await engine.log.head();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      await engine.time.pause(LOOK_EVERY);
    }
  }
}

function viewsReached({ projections }: Service, head: Position): boolean {
  const views = projections.report()?.views ?? [];
  return views.length > 0 && views.every(({ generation, position }) => generation !== null && position >= head);
}
