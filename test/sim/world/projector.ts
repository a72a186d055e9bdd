import type { ProjectorReport, Time } from '#eventsourcing';
import { Unavailable } from '#eventsourcing';
import type { Projector } from '#eventsourcing/projections';
import type { ProjectorListener, ProjectorThreadData, RunningProjector, StartProjector } from '#platform';
import type { Life } from './life.js';
import type { World } from './world.js';

/** A projector, and how it is told of appends and ended. */
export interface OpenedProjector {
  readonly projector: Projector;
  notify(): void;
  end(): Promise<void>;
}

/** Milliseconds before a broken projector starts again, as in its thread. */
const PAUSE = 1_000;
/** The time of a message between two threads, in milliseconds. */
const MESSAGE = 0.1;

/** Runs the projector of a simulated process as its thread does: beside it, with messages, and again when it breaks. */
export function startSimulatedProjector(
  world: World,
  life: Life,
  open: (data: ProjectorThreadData, on: ProjectorListener, time: Time) => OpenedProjector | Promise<OpenedProjector>,
): StartProjector {
  return (data, listener, time) => {
    const { scheduler } = world;
    const tell = (work: () => void): void => void scheduler.after(MESSAGE, work, life);
    let report: ProjectorReport | undefined;
    let failure: string | undefined;
    let closing = false;
    let opened: OpenedProjector | undefined;
    const on: ProjectorListener = {
      report: (next) =>
        tell(() => {
          failure = undefined;
          report = next;
          listener.report(next);
        }),
      notice: (text) => tell(() => listener.notice(text)),
      broken: (error) => listener.broken(error),
      doubt: () => tell(() => listener.doubt()),
      found: (finding) => tell(() => listener.found(finding)),
    };
    const broke = (error: unknown): void => {
      failure = error instanceof Error ? error.message : String(error);
      world.trace.tell(life.name, `its projector breaks: ${failure}`);
      listener.broken(error instanceof Error ? error : new Error(failure));
      void opened?.end();
      opened = undefined;
      scheduler.after(PAUSE, () => closing || start(), life);
    };
    const run = async (): Promise<void> => {
      const here = await open(data, on, time);
      if (closing) return here.end();
      opened = here;
      const { projector } = here;
      await projector.start();
      await projector.running;
    };
    const start = (): void => {
      run().catch(broke);
    };
    start();
    const running: RunningProjector = {
      report: () => report,
      async order(order) {
        if (opened === undefined) throw new Unavailable('the projector does not run');
        return opened.projector.order(order);
      },
      failure: () => failure,
      notify: () => tell(() => opened?.notify()),
      damaged: (damage) => tell(() => void opened?.projector.damaged(damage)),
      async close() {
        closing = true;
        await opened?.projector.close();
        await opened?.end();
      },
    };
    return running;
  };
}
