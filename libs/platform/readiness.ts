import type { Logger } from 'pino';
import { type Time, Unavailable } from '#eventsourcing';
import type { Position } from '#kernel';
import { type Health, ServiceHealth, unheard } from './health/service-health.js';
import { logWaits } from './log/log-waits.js';
import type { Service } from './service.js';

/** The shortest and the longest pause between two checks, in milliseconds. */
const [SHORTEST, LONGEST] = [20, 500];
/**
 * A pause is this part of the time that was waited already. A check asks every server and every work list, and a start may wait
 * for minutes: for an operator, or for a view that is built.
 */
const PART = 0.1;

/** Waits until the views have reached the present end of the log. @throws Unavailable if the log is refused meanwhile */
export function untilViewsReachEnd(service: Service, log: Pick<Logger, 'warn'>): Promise<void> {
  return untilViews(service, log, viewsReached);
}

/** The same, but waits for no view that has stopped: nobody can make it go on while no service runs. */
export function untilViewsEnd(service: Service, log: Pick<Logger, 'warn'>): Promise<void> {
  return untilViews(service, log, viewsEnded);
}

async function untilViews(
  service: Service,
  log: Pick<Logger, 'warn'>,
  areThere: (service: Service, head: Position) => boolean,
): Promise<void> {
  const { time } = service.engine;
  const head = await logWaits({ log, time }, 'the event log', () => headOf(service));
  const late = (): string => `views that are behind the log: ${lateViews(service, head).join(', ')}`;
  await logWaits({ log, time }, late, async () => {
    const pause = growingPause(time);
    while (!areThere(service, head)) await lookAgain(service, pause);
  });
}

/**
 * Waits until the views have reached the present end of the log, which includes the first tokens and the demo, and until the
 * health check says that the service is ready. If a view has stopped, it waits until an operator helps.
 * @throws Unavailable if the log is refused meanwhile
 */
export async function untilReady(service: Service, log: Logger): Promise<void> {
  const { time } = service.engine;
  await untilViewsReachEnd(service, log);
  service.initialized = true;
  const health = new ServiceHealth(service);
  let last: Health | undefined;
  await logWaits(
    { log, time },
    () => hindrancesOf(last).join('; '),
    async () => {
      const pause = growingPause(time);
      while (!(last = await health.check()).ready) await lookAgain(service, pause);
    },
  );
}

function lateViews({ projections, role }: Service, head: Position): string[] {
  const views = projections.report()?.views ?? [];
  if (views.length === 0) return [`all (${projections.failure() ?? unheard(role)})`];
  return views
    .filter(({ generation, position }) => generation === null || position < head)
    .map(
      ({ view, state, lagEvents, error }) =>
        `${view} (${state}, ${behind(lagEvents)}${error === null ? '' : `: ${error}`})`,
    );
}

function behind(lagEvents: number | null): string {
  return lagEvents === null ? 'behind, nobody knows yet by how many events' : `${lagEvents} events behind`;
}

/** Why a service is not ready, as /health/ready says it. */
function hindrancesOf(health: Health | undefined): string[] {
  if (health === undefined) return ['an answer about its health'];
  const { log, findings, views, stuck } = health;
  return [
    ...(log.error === null ? [] : [`the event log: ${log.error}`]),
    ...findings.map(({ message }) => message),
    ...views.flatMap(({ view, state, error }) =>
      state === 'live' ? [] : [`view ${view}: ${state}, ${error ?? 'no error'}`],
    ),
    ...(stuck === null ? ['the work lists, which do not answer'] : []),
  ];
}

async function lookAgain({ guard }: Service, pause: () => Promise<void>): Promise<void> {
  if (guard.refused) throw new Unavailable('the event log needs an operator: see /health/ready', 10);
  await pause();
}

/** Pauses that become longer with the time that was waited: a start takes hardly longer than what it waits for. */
function growingPause(time: Time): () => Promise<void> {
  const began = time.monotonic();
  return () => time.pause(Math.min(LONGEST, Math.max(SHORTEST, PART * (time.monotonic() - began))));
}

async function headOf({ engine }: Service): Promise<Position> {
  const pause = growingPause(engine.time);
  for (;;) {
    try {
      return await engine.log.head();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      await pause();
    }
  }
}

function viewsReached({ projections }: Service, head: Position): boolean {
  const views = projections.report()?.views ?? [];
  return views.length > 0 && views.every(({ generation, position }) => generation !== null && position >= head);
}

/** The same, if nobody can help a view that has stopped, or what builds them: whoever only reads is told by their reads. */
function viewsEnded({ projections }: Service, head: Position): boolean {
  if (projections.failure() !== undefined) return true;
  const views = projections.report()?.views ?? [];
  return (
    views.length > 0 &&
    views.every(({ state, generation, position }) => state === 'stopped' || (generation !== null && position >= head))
  );
}
