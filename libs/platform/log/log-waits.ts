import type { Logger } from 'pino';
import type { Time } from '#eventsourcing';

/** Milliseconds between two lines of a start that waits. */
const TELL_EVERY = 3_000;

/**
 * Runs a step of a start. If it takes long, a log line every few seconds says what the start waits for.
 * @param what a text that follows "the start waits for"
 */
export async function logWaits<T>(
  { log, time }: { readonly log: Pick<Logger, 'warn'>; readonly time: Time },
  what: string | (() => string),
  step: () => Promise<T>,
): Promise<T> {
  const began = time.monotonic();
  const timer = time.every(TELL_EVERY, () => {
    const waits = typeof what === 'string' ? what : what();
    const seconds = Math.round((time.monotonic() - began) / 1_000);
    log.warn({ waiting_for: waits, seconds }, `the start waits for ${waits}`);
  });
  try {
    return await step();
  } finally {
    time.cancel(timer);
  }
}

/** The hosts in the URL of a server, without credentials. */
export function hostsOf(url: string): string {
  const [, authority = ''] = /^[^:]+:\/\/([^/?#]*)/.exec(url) ?? [];
  return authority.slice(authority.lastIndexOf('@') + 1);
}
