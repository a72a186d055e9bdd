import type { Recorded } from '#kernel';
import { Unavailable } from '../errors.js';
import type { Machine } from '../ports/machine.js';
import {
  type Append,
  AppendNotTaken,
  AppendOutcomeUnknown,
  type AppendProgress,
  AppendRefused,
  type AppendResult,
  type EventLog,
} from '../ports/event-log.js';

/**
 * The longest pause between two tries, in milliseconds. A try costs one read and one append per stream, and an early try
 * after the log is back ends the outage for everyone who waits.
 */
const LONGEST_PAUSE = 400;

/**
 * Appends a list. If the answer is lost, it repeats the same append with the same event ids until the log answers. Before
 * each repeat it looks for its events at the stream's end. It never has two copies under way: a server may drop the second
 * silently. It looks once for followers whose answers were lost; those that it does not find stay `unknown`.
 *
 * A refusal is the outcome only if no earlier sending was left without an answer: that one may have been written, and rights and
 * bounds change in between.
 * @param firstPause milliseconds before the first repeat; later pauses are longer
 */
export async function appendUntilKnown(
  log: EventLog,
  list: readonly [Append, ...Append[]],
  stop: AbortSignal,
  firstPause: number,
  { time, randomness }: Machine,
  progress?: AppendProgress,
): Promise<readonly AppendResult[]> {
  const [decision] = list;
  let repeated = false;
  /** Whether a sending may have been written although nobody said so. */
  let unanswered = false;
  /** What has been sent must be known, whoever still waits for it. */
  const repeat: AppendProgress | undefined = progress && {
    ...progress,
    isWanted: () => unanswered || progress.isWanted(),
  };
  for (let wait = firstPause; ; wait = Math.min(2 * wait, LONGEST_PAUSE)) {
    let conflict: AppendResult | undefined;
    try {
      const results = await log.append(list, repeat);
      // The conflict may be with an earlier copy of this append that arrived late.
      const isLate = repeated && results[0]?.kind === 'conflict' && results[0].actual > decision.expected;
      if (!isLate) return await foundIn(log, list, results);
      [conflict] = results;
    } catch (error) {
      const isOpen = error instanceof AppendOutcomeUnknown || (unanswered && error instanceof AppendRefused);
      if (!isOpen) throw error;
      unanswered ||= error instanceof AppendOutcomeUnknown && !(error instanceof AppendNotTaken);
    }
    repeated = true;
    await time.pause(wait / 2 + (randomness.fraction() * wait) / 2, { signal: stop });
    if (stop.aborted) throw new Unavailable('the service is stopping');
    const tail = await tailAt(log, decision);
    // The log may not give the event that this append conflicts with. The next decision examines that.
    const found = outcomeBy(tail, decision) ?? (tail === undefined ? undefined : conflict);
    if (found === undefined) continue;
    const followers = list
      .slice(1)
      .map((): AppendResult => ({ kind: found.kind === 'written' ? 'unknown' : 'skipped' }));
    return foundIn(log, list, [found, ...followers]);
  }
}

/** The results, completed by what the streams' ends say about appends without an answer. */
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

/** The events from an append's place on; undefined if the log cannot be read now. */
async function tailAt(log: EventLog, { stream, expected, events }: Append): Promise<readonly Recorded[] | undefined> {
  return log.readStream(stream, expected + 1, events.length).catch(() => undefined);
}

/**
 * What the stream's end says about an append; undefined if there is nothing. Only the complete append counts: anything else
 * in its place is another process's, and a conflict.
 */
function outcomeBy(tail: readonly Recorded[] | undefined, { events }: Append): AppendResult | undefined {
  const last = tail?.at(-1);
  if (last === undefined) return undefined;
  const isWhole = events.every(({ id }, index) => tail?.[index]?.id === id);
  return isWhole
    ? { kind: 'written', revision: last.revision, position: last.position }
    : { kind: 'conflict', actual: last.revision };
}
