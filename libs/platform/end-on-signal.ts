import type { Logger } from 'pino';
import type { Time } from '#eventsourcing';
import { PATIENCE } from '#kernel/bounds';

/** The signals that stop a process; SIGHUP comes when a terminal is closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ends the process in order after a signal: it finishes running calls, and frees the port and the folder.
 * @returns whether a signal has come: what runs meanwhile may fail
 */
export function endOnSignal(log: Logger, time: Time, close: () => Promise<void>): () => boolean {
  let ending: Promise<void> | undefined;
  const end = async (signal: string): Promise<void> => {
    const began = time.monotonic();
    log.info({ signal }, 'stopping');
    const force = (): void => {
      log.fatal(
        { signal },
        `the stop took longer than ${PATIENCE.stop / 1_000} s: the process ends without finishing its calls`,
      );
      process.exit(1);
    };
    const forced = time.after(PATIENCE.stop, force);
    forced.unref();
    await close();
    time.cancel(forced);
    log.info({ signal, seconds: Math.round(time.monotonic() - began) / 1_000 }, 'stopped');
    process.exit(0);
  };
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      ending ??= end(signal).catch((error: unknown) => {
        log.fatal({ err: error }, 'the stop failed');
        process.exit(1);
      });
    });
  }
  return () => ending !== undefined;
}
