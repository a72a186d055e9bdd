import type { KeyValueStore, OwnedLog, Time } from '#eventsourcing';
import { keepSearched, readSearched } from './known-record.js';
import type { LogGuard } from './log-guard.js';
import type { NotedStreams } from './noted-streams.js';

/** The longest time until the log is searched again, and the place kept, in milliseconds. */
const KEPT_EVERY = 30_000;
/** After so many bytes of the server’s log the place is kept earlier: they are searched in less than a second. */
const KEPT_BYTES = 8n * 1024n * 1024n;
/** Milliseconds between two looks at how far others have searched it: the process asks for its head every 2 s anyway. */
const LOOK_EVERY = 1_000;

/**
 * Keeps how far the log was searched, until the signal ends it: the next start searches only what comes later. So a process that
 * is killed leaves little to search again, however much others write and however long its own start has searched.
 */
export async function keepSearching(
  log: Pick<OwnedLog, 'identity' | 'head' | 'searched'>,
  keyValues: KeyValueStore,
  guard: Pick<LogGuard, 'refused'>,
  noted: Pick<NotedStreams, 'settle'>,
  signal: AbortSignal,
  time: Time,
): Promise<void> {
  if (!('searched' in log)) return;
  const before = await readSearched(keyValues, log.identity).catch(() => undefined);
  let kept = before?.end ?? 0n;
  let keptAt = time.monotonic();
  for (let isLast = false; !isLast;) {
    await time.pause(LOOK_EVERY, { signal });
    isLast = signal.aborted;
    if (guard.refused) continue;
    const isDue = isLast || time.monotonic() - keptAt >= KEPT_EVERY;
    try {
      if (isDue) await log.head();
      const { searched } = log;
      if (searched === undefined || (!isDue && searched.end - kept < KEPT_BYTES)) continue;
      // The next start does not look there again.
      if (!(await noted.settle())) continue;
      await keepSearched(keyValues, log.identity, searched);
      [kept, keptAt] = [searched.end, time.monotonic()];
    } catch {
      // The next time is soon enough.
    }
  }
}
