import { type EventLog, MAX_APPEND_EVENTS, type Append } from '#eventsourcing';
import type { Appends } from './decisions.js';

/** Decisions that are under way to a log in a file together: its writer makes large transactions of them. */
const WINDOW = 1_000;
/** Events of decisions that one append has on a server, where each append is a call. */
const TOGETHER = MAX_APPEND_EVENTS - 10;

/** Writes decisions to a log in a file, in their order. */
export async function writeAll(log: EventLog, decisions: Iterable<Appends>): Promise<void> {
  let under: Promise<void>[] = [];
  for (const appends of decisions) {
    under.push(written(log, appends));
    if (under.length < WINDOW) continue;
    await Promise.all(under);
    under = [];
  }
  await Promise.all(under);
}

/** Writes decisions of one stream to a log on a server: the events of some dozens with one call, and then their followers. */
export async function writeTogether(log: EventLog, decisions: Iterable<Appends>): Promise<void> {
  let streams = new Map<string, Append>();
  let decided = 0;
  const flush = async (): Promise<void> => {
    const [first, ...others] = streams.values();
    if (first !== undefined) await written(log, [first, ...others]);
    [streams, decided] = [new Map(), 0];
  };
  for (const appends of decisions) {
    for (const append of appends) {
      const before = streams.get(append.stream);
      streams.set(
        append.stream,
        before === undefined ? append : { ...before, events: [...before.events, ...append.events] },
      );
    }
    decided += appends[0].events.length;
    if (decided >= TOGETHER) await flush();
  }
  await flush();
}

async function written(log: EventLog, appends: Appends): Promise<void> {
  for (const { kind } of await log.append(appends)) {
    if (kind !== 'written') throw new Error(`an append to ${appends[0].stream} or its followers: ${kind}`);
  }
}
