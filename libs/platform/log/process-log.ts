import { pino, type Logger } from 'pino';
import type { Time } from '#eventsourcing';
import { BUILD } from '../build.js';
import { takeLibraryWords } from './library-words.js';
import { LinesTogether } from './lines-together.js';

/** The program that writes the log. */
export type Program = 'api' | 'worker' | 'sandbox-gateway';

/** Bytes that wait for a slow reader. Beyond that, lines are dropped and counted: a reader that hangs must stop no sale. */
const MOST_WAITING = 16 * 1024 * 1024;
/** Milliseconds between two reports of dropped lines. */
const TELL_LOST_EVERY = 5_000;

/**
 * Opens the log of a process on standard error: lines of JSON, or, on a terminal, lines for people. Lines are written
 * asynchronously and in order, and all of them before the process ends by itself. If it ends while lines are written, its last
 * lines may come before those.
 * @param level the lowest level that is written
 */
export async function openProcessLog(program: Program, level: string, time: Time): Promise<Logger> {
  const options = {
    level,
    base: { program, pid: process.pid, ...BUILD },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const log: Logger = process.stderr.isTTY
    ? pino(options, await forPeople())
    : pino(
        options,
        forMachines(() => log, time),
      );
  tellOfTheProcess(log);
  return log;
}

async function forPeople(): Promise<NodeJS.WritableStream> {
  const { PinoPretty } = await import('pino-pretty');
  return PinoPretty({
    destination: 2,
    sync: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,program,version,commit',
  });
}

function forMachines(log: () => Logger, time: Time): LinesTogether {
  const stream = pino.destination({ dest: 2, sync: false, maxLength: MOST_WAITING });
  let lost = 0;
  stream.on('drop', (lines: string) => (lost += lines.split('\n').length - 1));
  const tellLost = (): void => {
    if (lost === 0) return;
    const lines = lost;
    lost = 0;
    log().error({ lines }, 'lines of the log were dropped, because nobody read them');
  };
  time.every(TELL_LOST_EVERY, tellLost).unref();
  return new LinesTogether(stream, time);
}

/** Logs warnings and errors that Node and libraries would print themselves. */
function tellOfTheProcess(log: Logger): void {
  takeLibraryWords({
    warning: (name, message) => log.warn({ warning: name }, message),
    experimental: (message) => log.debug({ warning: 'ExperimentalWarning' }, message),
    printed: (words) => log.warn({ by: 'a library' }, words),
  });
  process.on('uncaughtException', (error: unknown) => {
    log.fatal({ err: error }, 'an unexpected error ends the process');
    process.exit(1);
  });
}
