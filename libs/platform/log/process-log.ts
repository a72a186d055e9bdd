import { format } from 'node:util';
import { pino, type Logger } from 'pino';
import { BoundedMap, type Time } from '#eventsourcing';

/** Which program writes. */
export type Program = 'api' | 'worker' | 'sandbox-gateway';

/** Bytes that wait for whoever reads the log; beyond that lines are lost, and counted: a reader that stands still stops no sale. */
const MOST_WAITING = 16 * 1024 * 1024;
/** Milliseconds between two words of lines that were lost. */
const TELL_LOST_EVERY = 5_000;
/** Texts that libraries print are remembered, so many of them: each is told once. */
const MOST_PRINTED = 100;

/**
 * The log of a process, on standard error: a line of JSON for each thing that happened; on a terminal, a line for people.
 * Lines are written beside the work, in the order in which they were told, and all of them before the process ends by itself.
 * @param level the least that is told
 */
export async function openProcessLog(program: Program, level: string, time: Time): Promise<Logger> {
  const options = {
    level,
    base: { program, pid: process.pid },
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
    ignore: 'pid,program',
  });
}

function forMachines(log: () => Logger, time: Time): ReturnType<typeof pino.destination> {
  const stream = pino.destination({ dest: 2, sync: false, maxLength: MOST_WAITING });
  let lost = 0;
  stream.on('drop', () => (lost += 1));
  const tellLost = (): void => {
    if (lost === 0) return;
    const lines = lost;
    lost = 0;
    log().error({ lines }, 'lines of the log were lost, for nobody read it');
  };
  time.every(TELL_LOST_EVERY, tellLost).unref();
  return stream;
}

/** What Node itself would print in words of its own. */
function tellOfTheProcess(log: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    if (name === 'ExperimentalWarning') log.debug({ warning: name }, message);
    else log.warn({ warning: name }, message);
  });
  // Libraries that print print the same again and again, and in words that no reader of JSON understands.
  const printed = new BoundedMap<string, true>(MOST_PRINTED);
  const tell = (...said: unknown[]): void => {
    const words = format(...said);
    if (printed.get(words) !== undefined) return;
    printed.set(words, true);
    log.warn({ by: 'a library' }, words);
  };
  Object.assign(console, { warn: tell, error: tell });
  process.on('uncaughtException', (error: unknown) => {
    log.fatal({ err: error }, 'a fault that nothing is prepared for ends the process');
    process.exit(1);
  });
}
