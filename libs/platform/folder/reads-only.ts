import { Readable } from 'node:stream';
import { AppendRefused, type EventLog, type KeyStore, Unavailable } from '#eventsourcing';

const WORDS = 'no service runs, and without one commands only read: start the service, then send it again';

/** The same log; it takes no events. */
export function refusingAppends(log: EventLog): EventLog {
  const { identity, countsBytes, dense } = log;
  return {
    identity,
    countsBytes,
    ...(dense !== undefined && { dense }),
    readStream: (stream, from, max) => log.readStream(stream, from, max),
    isOthers: async (stream) => (await log.isOthers?.(stream)) ?? false,
    head: () => log.head(),
    eventAt: (position) => log.eventAt(position),
    subscribe: (after, max, signal) => log.subscribe(after, max, signal),
    append: ([{ stream }]) => Promise.reject(new AppendRefused(WORDS, stream)),
    close: () => log.close(),
  };
}

/** A store that gives nobody's key: what is sealed stays so. */
export const NO_KEYS: KeyStore = {
  obtain: () => Promise.resolve(undefined),
  get: () => Promise.resolve(undefined),
  knows: () => Promise.resolve(false),
  persons: () => Readable.from([]),
  destroy: () => Promise.reject(new Error(WORDS)),
  close: () => Promise.resolve(),
};

/** Refuses to show a person: that somebody has seen them could not be noted. */
export function refuseToShow(): never {
  throw new Unavailable('no service runs, so that you have seen this person could not be noted: start the service', 10);
}
