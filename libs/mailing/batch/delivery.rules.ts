import type { Instant } from '#kernel';
import { pauseAfterTries, reasonIn, type Handover } from '../tries.rules.js';
import type { BatchEnded, BatchEvent, SkipReason } from './batch.events.js';
import type { BatchState } from './batch.state.js';

/** The steps of delivering a batch (ruling F4). */
export type DeliveryCommand =
  /** A sender takes a recipient. Without an event, the recipient is another sender's or not due. */
  | { readonly type: 'attempt'; readonly user_id: string }
  | { readonly type: 'note'; readonly user_id: string; readonly attempt: number; readonly outcome: Handover }
  | { readonly type: 'skip'; readonly user_id: string; readonly reason: SkipReason }
  /** Nobody is due any more: notes when the next one is. */
  | { readonly type: 'pause' };

/** The recipients whom a sender may take now, in the order of the batch. */
export function dueRecipients({ row, recipients }: BatchState, now: Instant): readonly string[] {
  if (row.status !== 'pending' || now < row.send_at) return [];
  return row.user_ids.filter((id) => (recipients.get(id)?.dueAt ?? row.send_at) <= now);
}

/** Whether a mail of the batch was tried or a recipient left out: from then on it cannot be cancelled. */
export function hasBegun({ row, recipients }: BatchState): boolean {
  return row.status === 'processed' || row.status === 'failed' || recipients.size > 0;
}

export function deliver(command: DeliveryCommand, state: BatchState | null, now: Instant): readonly BatchEvent[] {
  if (state?.row.status !== 'pending' || now < state.row.send_at) return [];
  switch (command.type) {
    case 'attempt':
      return attempt(command.user_id, state, now);
    case 'note':
      return note(command, state, now);
    case 'skip':
      return skip(command, state, now);
    case 'pause':
      return pause(state, now);
  }
}

function attempt(user_id: string, state: BatchState, now: Instant): BatchEvent[] {
  if (!isDue(user_id, state, now)) return [];
  const tries = state.recipients.get(user_id)?.attempt ?? 0;
  const { batch_id } = state.row;
  return [{ type: 'delivery-attempted.v1', data: { batch_id, user_id, attempt: tries + 1, attempted_at: now } }];
}

function note(
  { user_id, attempt, outcome }: Extract<DeliveryCommand, { type: 'note' }>,
  state: BatchState,
  now: Instant,
): BatchEvent[] {
  const recipient = state.recipients.get(user_id);
  if (recipient?.isUnderWay !== true || recipient.attempt !== attempt) return [];
  const of = { batch_id: state.row.batch_id, user_id, attempt };
  if (outcome.kind === 'sent') return [{ type: 'delivery-made.v1', data: of }, ...endAfter(state, { sent: 1 })];
  const reason = reasonIn(outcome);
  const pauses = outcome.kind === 'delayed' ? pauseAfterTries(attempt) : undefined;
  if (pauses !== undefined) return [{ type: 'delivery-delayed.v1', data: { ...of, reason, until: now + pauses } }];
  return [{ type: 'delivery-failed.v1', data: { ...of, reason } }, ...endAfter(state, { failed: 1 })];
}

function skip(
  { user_id, reason }: Extract<DeliveryCommand, { type: 'skip' }>,
  state: BatchState,
  now: Instant,
): BatchEvent[] {
  if (!isDue(user_id, state, now)) return [];
  const { batch_id } = state.row;
  return [{ type: 'delivery-skipped.v1', data: { batch_id, user_id, reason } }, ...endAfter(state, { skipped: 1 })];
}

function pause(state: BatchState, now: Instant): BatchEvent[] {
  const { row, recipients, pausedUntil } = state;
  const times = row.user_ids.map((id) => recipients.get(id)?.dueAt ?? row.send_at);
  const until = times.reduce((least, time) => Math.min(least, time), Infinity);
  if (until <= now || until === pausedUntil) return [];
  return [{ type: 'delivery-paused.v1', data: { batch_id: row.batch_id, until } }];
}

function isDue(userId: string, { row, recipients }: BatchState, now: Instant): boolean {
  const known = recipients.get(userId);
  return known === undefined ? row.user_ids.includes(userId) : known.dueAt <= now;
}

/** The end of the batch, if this was the last outcome. A skipped recipient is no failure (ruling H3). */
function endAfter(state: BatchState, last: Partial<Omit<BatchEnded, 'batch_id'>>): BatchEvent[] {
  const { row } = state;
  const sent = state.sent + (last.sent ?? 0);
  const failed = state.failed + (last.failed ?? 0);
  const skipped = state.skipped + (last.skipped ?? 0);
  if (sent + failed + skipped < row.user_ids.length) return [];
  const type = failed === 0 ? 'batch-processed.v1' : 'batch-failed.v1';
  return [{ type, data: { batch_id: row.batch_id, sent, failed, skipped } }];
}
