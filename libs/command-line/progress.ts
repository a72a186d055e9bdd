import { SingleBar } from 'cli-progress';
import type { Time } from '#eventsourcing';
import { ExitCode, CommandFailure } from './command-failure.js';
import type { Output } from './output.js';
import type { Generation, ProjectionsClient } from './projections-client.js';

/** How often the command asks the service, in milliseconds. */
const LOOK_EVERY = 200;
/** How often it writes a line without a terminal, in milliseconds. */
const LINE_EVERY = 2_000;
/** How long it retries if the service does not answer, in milliseconds: the service may be restarting. */
const PATIENCE = 30_000;
/** How long a new generation may be missing in reports, in milliseconds: reports travel between processes. */
const UNTIL_TOLD = 5_000;

/** Shows the progress of a build: a bar in a terminal, lines elsewhere, nothing for machines. */
interface Display {
  show(generation: Generation): void;
  end(): void;
}

/**
 * Follows a generation until it is ready.
 * @throws CommandFailure if the generation stopped or is gone, the service stays away, or the signal aborts
 */
export async function follow(
  projections: ProjectionsClient,
  { view, number }: { readonly view: string; readonly number: number },
  output: Output,
  { interrupted, time }: { readonly interrupted: AbortSignal; readonly time: Time },
): Promise<Generation> {
  const name = `generation ${number} of ${view}`;
  const display = displayOf(name, output, time);
  let mustBeTold = time.monotonic() + UNTIL_TOLD;
  try {
    for (let silentSince: number | undefined; ;) {
      try {
        const generation = (await projections.generations(view)).find((each) => each.number === number);
        silentSince = undefined;
        if (generation !== undefined) {
          mustBeTold = 0;
          display.show(generation);
          if (generation.state === 'ready' || generation.state === 'live') return generation;
          if (generation.state === 'stopped') throw stopped(name, view, generation);
          if (generation.state === 'failed' || generation.state === 'cancelled') throw ended(name, view, generation);
        } else if (time.monotonic() > mustBeTold) {
          throw gone(name, view);
        }
      } catch (error) {
        if (!(error instanceof CommandFailure) || error.exitCode !== ExitCode.unreachable) throw error;
        silentSince ??= time.monotonic();
        if (time.monotonic() - silentSince > PATIENCE) throw error;
      }
      await time.pause(LOOK_EVERY, { signal: interrupted });
      interrupted.throwIfAborted();
    }
  } catch (error) {
    if (interrupted.aborted) throw goesOn(name, view, number);
    throw error;
  } finally {
    display.end();
  }
}

function stopped(name: string, view: string, { last_error }: Generation): CommandFailure {
  return new CommandFailure(
    `${upper(name)} has stopped: ${last_error ?? 'the reason is unknown'}. ` +
      `\`projections resume ${view}\` tries the event again, \`projections skip ${view}\` skips it.`,
    ExitCode.refused,
  );
}

function ended(name: string, view: string, { state, last_error }: Generation): CommandFailure {
  const what = state === 'cancelled' ? 'was cancelled' : `has failed: ${last_error ?? 'no reason was given'}`;
  return new CommandFailure(`${upper(name)} ${what}. ${anew(view)}`, ExitCode.refused);
}

/** What became of a build is known as long as the process lives that builds the views. */
function gone(name: string, view: string): CommandFailure {
  return new CommandFailure(
    `${upper(name)} is gone: the process that builds the views was restarted, and its log says why. ${anew(view)}`,
    ExitCode.refused,
  );
}

function anew(view: string): string {
  return `\`projections rebuild ${view}\` starts again.`;
}

function goesOn(name: string, view: string, number: number): CommandFailure {
  return new CommandFailure(
    `${upper(name)} is still being built. \`projections generations ${view} --watch\` follows it, ` +
      `\`projections cancel ${view} ${number}\` ends it.`,
    ExitCode.interrupted,
  );
}

function displayOf(name: string, { err, form }: Output, time: Time): Display {
  if (form === 'json') return { show: () => undefined, end: () => undefined };
  return err.isTTY === true ? barFor(name, err) : linesFor(name, err, time);
}

function barFor(name: string, stream: NodeJS.WritableStream): Display {
  const bar = new SingleBar({
    format: `${name} [{bar}] {percentage} % | {speed} | {left}`,
    barsize: 30,
    hideCursor: true,
    stream,
  });
  bar.start(100, 0, { speed: speedOf(0), left: leftOf(null) });
  return {
    show: (generation) =>
      bar.update(percentOf(generation), {
        speed: speedOf(generation.events_per_second),
        left: generation.state === 'building' ? leftOf(generation.time_left) : generation.state,
      }),
    end: () => bar.stop(),
  };
}

function linesFor(name: string, stream: NodeJS.WritableStream, time: Time): Display {
  let last = -Infinity;
  return {
    show(generation) {
      const { state, events_per_second, time_left } = generation;
      if (state === 'building' && time.monotonic() - last < LINE_EVERY) return;
      last = time.monotonic();
      const way = `${percentOf(generation)} %, ${speedOf(events_per_second)}, ${leftOf(time_left)}`;
      stream.write(`${name}: ${state === 'building' ? way : state}\n`);
    },
    end: () => undefined,
  };
}

/** Whole percents. A build shows 100 only when it is finished. */
export function percentOf({ state, progress }: Generation): number {
  const done = Math.floor(progress * 100);
  return state === 'building' ? Math.min(99, done) : done;
}

export function speedOf(eventsPerSecond: number): string {
  return `${eventsPerSecond.toLocaleString('en')} events/s`;
}

export function leftOf(seconds: number | null): string {
  if (seconds === null) return 'time left unknown';
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s left` : `${minutes} min ${seconds % 60} s left`;
}

function upper(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
