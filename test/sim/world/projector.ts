import type { ProjectorReport, Time } from '#eventsourcing';
import { Unavailable } from '#eventsourcing';
import type { Projector, SeenBefore } from '#eventsourcing/projections';
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
/** How often it looks whether its thread ends, in milliseconds of the world. */
const LOOK_EVERY = 500;

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
    /** What a broken projector told before its thread ended. */
    let seenBefore: readonly SeenBefore[] = [];
    let closing = false;
    let opened: OpenedProjector | undefined;
    /** The number of the present thread: nobody hears one that has ended. */
    let thread = 0;
    const tellFrom = (number: number, work: () => void): void => tell(() => thread === number && work());
    const broke = (error: unknown): void => {
      const broken = opened;
      opened = undefined;
      thread += 1;
      failure = error instanceof Error ? error.message : String(error);
      world.trace.tell(life.name, `its projector breaks: ${failure}`);
      listener.broken(error instanceof Error ? error : new Error(failure));
      // What its thread was writing may still reach the disk or the server.
      const end = (): void => void broken?.end();
      broken?.projector.close().then(end, end);
      scheduler.after(PAUSE, () => closing || start(), life);
    };
    const run = async (number: number): Promise<void> => {
      const here = await open(
        { ...data, seenBefore },
        {
          report: (next) =>
            tellFrom(number, () => {
              failure = undefined;
              report = next;
              listener.report(next);
            }),
          notice: (text) => tellFrom(number, () => listener.notice(text)),
          broken: (error) => listener.broken(error),
          doubt: () => tellFrom(number, () => listener.doubt()),
          found: (finding) => tellFrom(number, () => listener.found(finding)),
        },
        time,
      );
      if (closing) return here.end();
      opened = here;
      const { projector } = here;
      await projector.start();
      await projector.running.catch((error: unknown) => {
        if (thread === number) seenBefore = projector.seen;
        throw error;
      });
    };
    const start = (): void => {
      const number = thread;
      run(number).catch((error: unknown) => {
        if (thread === number) broke(error);
      });
    };
    start();
    const look = (): void => {
      if (closing) return;
      if (opened !== undefined && world.faults.strikes('projector: it breaks')) broke(new Error('its thread ended'));
      scheduler.after(LOOK_EVERY, look, life);
    };
    scheduler.after(LOOK_EVERY, look, life);
    const running: RunningProjector = {
      report: () => report,
      async order(order) {
        if (opened === undefined) throw new Unavailable('the projector does not run');
        return opened.projector.order(order);
      },
      failure: () => failure,
      notify: () => tell(() => opened?.notify()),
      hurry: () => tell(() => opened?.projector.hurry()),
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
