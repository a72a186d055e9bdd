import type { Time } from '#eventsourcing';
import type { Position } from '#kernel';
import { ROW_KINDS, type RowKind, type StateRows } from './engine-copies.js';
import type { StateLine } from './state-line.js';

/** A row; or `upto`: with the rows before it, the state covers the log up to this position. `whole`: all rows follow. */
export type StateNews = StateLine | { readonly upto: string } | { readonly whole: true };

/** Milliseconds between two looks at what has changed. */
export const LOOK_EVERY = 250;

/**
 * What is kept beside a log, so that it covers the log up to a position. The entries come first: what they know of the gateway's
 * ledger, the log knows too. Then the head of the log is read, and then every other row: a key is made before its first event.
 * @param options.follow whether changes follow until the signal aborts
 */
export async function* copyState(
  rows: StateRows,
  head: () => Promise<Position>,
  { follow, signal, time }: { readonly follow: boolean; readonly signal: AbortSignal; readonly time: Time },
): AsyncGenerator<StateNews, void, void> {
  let known = new Map<string, string>();
  let { mark } = await rows.changes(undefined);
  const isOver = (): boolean => signal.aborted;
  for (let isWhole = true; !isOver();) {
    if (isWhole) {
      known = new Map();
      yield { whole: true };
    }
    for (const line of await rows.entries()) {
      if (line.kind !== 'entry' || known.get(line.name) === line.text) continue;
      known.set(line.name, line.text);
      yield line;
    }
    const upto = await head();
    for (const kind of isWhole ? ROW_KINDS : []) yield* rowsOf(rows, kind, signal);
    // What is not whole must not count as such.
    if (isOver()) return;
    const news = await rows.changes(mark);
    ({ mark } = news);
    isWhole = news.lines === undefined;
    if (isWhole) continue;
    yield* news.lines ?? [];
    yield { upto: upto.toString() };
    if (!follow) return;
    await time.pause(LOOK_EVERY, { signal });
  }
}

async function* rowsOf(rows: StateRows, kind: RowKind, signal: AbortSignal): AsyncGenerator<StateLine, void, void> {
  for (let after: string | undefined; !signal.aborted;) {
    const { lines, next } = await rows.rows(kind, after);
    yield* lines;
    if (next === undefined) return;
    after = next;
  }
}
