import type { Time } from '#eventsourcing';
import type { Position } from '#kernel';
import type { Server, ServerEvent } from './server.js';

/** Milliseconds before a search goes on that broke off. */
const AGAIN = 500;
/** So many breaks in a row, without anything between, end it. */
const BREAKS = 20;
/** The shortest time between two reports of its progress, in milliseconds. */
const TELL_EVERY = 5_000;

/** A search through everybody's events. */
export interface Walk {
  /** The beginnings of the names of streams to look at: the server filters out the others. */
  readonly names: readonly string[];
  /** Where it begins, exclusive; 0n is the beginning of the log. */
  readonly after: Position;
  /** Takes an event. @returns whether the search may end with it */
  readonly see: (event: ServerEvent) => boolean;
  /** Called now and then with how far it has come. */
  readonly progress?: (position: Position) => void;
  readonly time: Time;
}

/**
 * Walks through the log up to its present end, without a deadline: the server filters, and says how far it has searched. What
 * breaks off goes on from there.
 * @returns the event that ended it; undefined at the end of the log
 * @throws Error what the server says if it refuses, or breaks off again and again
 */
export async function walk(
  server: Pick<Server, 'subscribe'>,
  { names, after, see, progress, time }: Walk,
): Promise<ServerEvent | undefined> {
  let from = after;
  let [breaks, told] = [0, time.monotonic()];
  for (;;) {
    const ended = Promise.withResolvers<{
      readonly at?: ServerEvent;
      readonly why?: string;
      readonly error?: unknown;
    }>();
    const came = (position: Position): void => {
      [from, breaks] = [position, 0];
      if (progress === undefined || time.monotonic() - told < TELL_EVERY) return;
      told = time.monotonic();
      progress(position);
    };
    const subscription = server.subscribe(from, names, {
      event(event) {
        came(event.position);
        if (see(event)) ended.resolve({ at: event });
      },
      searched: came,
      caughtUp: () => ended.resolve({}),
      dropped: (why, error) => ended.resolve({ why, error }),
    });
    const { at, why, error } = await ended.promise;
    subscription.leave();
    if (why === undefined) return at;
    breaks += 1;
    if (why === 'refused' || breaks > BREAKS) throw new Error('the event log cannot be searched', { cause: error });
    await time.pause(AGAIN);
  }
}
