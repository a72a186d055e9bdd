import type { Recorded } from '#kernel';
import { Unavailable } from '../errors.js';
import type { Machine } from '../ports/machine.js';
import { AppendOutcomeUnknown, type Append, type AppendResult, type EventLog } from '../ports/event-log.js';

/**
 * A try costs a stream one look and one append, and one that comes soon after the log is back ends an outage for all that
 * wait there; so no pause becomes longer than this, in milliseconds.
 */
const LONGEST_PAUSE = 400;

/**
 * Appends a list; where the answer is lost, repeats it unchanged, under the same event ids, until the log answers, each time
 * after a look at the stream's tail for the own events. Never two copies at once: a server may drop the second without a
 * word. Followers whose answers were lost are looked for once; those that are not there stay `unknown`.
 * @param firstPause milliseconds before the first repeat; the next ones wait longer
 */
export async function appendUntilKnown(
  log: EventLog,
  list: readonly [Append, ...Append[]],
  stop: AbortSignal,
  firstPause: number,
  { time, randomness }: Machine,
): Promise<readonly AppendResult[]> {
  const [decision] = list;
  let repeated = false;
  for (let wait = firstPause; ; wait = Math.min(2 * wait, LONGEST_PAUSE)) {
    let conflict: AppendResult | undefined;
    try {
      const results = await log.append(list);
      // What a repeat conflicts with may be an earlier sending, which came late.
      const isLate = repeated && results[0]?.kind === 'conflict' && results[0].actual > decision.expected;
      if (!isLate) return await foundIn(log, list, results);
      [conflict] = results;
    } catch (error) {
      if (!(error instanceof AppendOutcomeUnknown)) throw error;
    }
    repeated = true;
    await time.pause(wait / 2 + (randomness.fraction() * wait) / 2, { signal: stop });
    if (stop.aborted) throw new Unavailable('the service is stopping');
    const tail = await tailAt(log, decision);
    // What it conflicts with may not be given by the log: whoever decides next looks into that.
    const found = outcomeBy(tail, decision) ?? (tail === undefined ? undefined : conflict);
    if (found === undefined) continue;
    const unanswered = list
      .slice(1)
      .map((): AppendResult => ({ kind: found.kind === 'written' ? 'unknown' : 'skipped' }));
    return foundIn(log, list, [found, ...unanswered]);
  }
}

/** The results, with what the tails say of appends whose answers were lost. */
async function foundIn(
  log: EventLog,
  list: readonly Append[],
  results: readonly AppendResult[],
): Promise<readonly AppendResult[]> {
  if (results.every(({ kind }) => kind !== 'unknown')) return results;
  return Promise.all(
    results.map(async (result, index) => {
      const append = list[index];
      if (result.kind !== 'unknown' || append === undefined) return result;
      return outcomeBy(await tailAt(log, append), append) ?? result;
    }),
  );
}

/** What stands in an append's place, and behind it; undefined where the log cannot be read now. */
async function tailAt(log: EventLog, { stream, expected, events }: Append): Promise<readonly Recorded[] | undefined> {
  return log.readStream(stream, expected + 1, events.length).catch(() => undefined);
}

/**
 * What the stream's tail says of an append; undefined where there is nothing. Only the whole append is the append: whatever
 * else stands in its place is another process's, and conflicts with it.
 */
function outcomeBy(tail: readonly Recorded[] | undefined, { events }: Append): AppendResult | undefined {
  const last = tail?.at(-1);
  if (last === undefined) return undefined;
  const isWhole = events.every(({ id }, index) => tail?.[index]?.id === id);
  return isWhole
    ? { kind: 'written', revision: last.revision, position: last.position }
    : { kind: 'conflict', actual: last.revision };
}
