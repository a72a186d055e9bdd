import type { DecisionGuard } from '../ports/decision-guard.js';
import { unreadFinding } from '../findings/stream-findings.js';
import type { Time } from '../ports/time.js';
import type { StreamEntry } from './stream-entry.js';

/** Milliseconds between two tries on a stream whose log counts events that it does not give. */
const PAUSE = 100;

/**
 * Handles events that the log counts but nobody can read, after a conflict and a read to the stream's end. Either they are
 * known and accepted as missing, or they become a finding if they stay: a former leader may have shown events that are
 * taken back.
 * @param conflict the last revision in the log's answer
 * @param patience milliseconds that the log may count events without giving them
 * @throws Unavailable once they are a finding
 */
export async function passUnread(
  entry: StreamEntry,
  conflict: number,
  {
    guard,
    time,
    patience,
  }: { readonly guard: Pick<DecisionGuard, 'lacks' | 'heed'>; readonly time: Time; readonly patience: number },
): Promise<void> {
  const unread = unreadFinding(entry.stream, entry.revision, conflict);
  if (unread === undefined) {
    entry.unread = undefined;
    return;
  }
  if (entry.unread?.code !== unread.code) entry.unread = { code: unread.code, since: time.monotonic() };
  if (!guard.lacks(unread)) {
    if (time.monotonic() - entry.unread.since < patience) return time.pause(PAUSE);
    await guard.heed(unread, entry.stream);
  }
  entry.unread = undefined;
  entry.revision = conflict;
}
