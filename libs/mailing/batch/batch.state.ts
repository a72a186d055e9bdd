import { Map } from 'immutable';
import type { Instant } from '#kernel';
import { TAKEOVER } from '../tries.rules.js';
import type { BatchEvent } from './batch.events.js';
import { batchAfter, type BatchRow } from './batch.row.js';

/** How far a recipient's mail is. */
export interface Recipient {
  /** The last try; 0 for none. */
  readonly attempt: number;
  /** A sender has it, or had it when it was killed. */
  readonly isUnderWay: boolean;
  /** From when on a sender may take it; Infinity once there is an outcome. */
  readonly dueAt: Instant;
}

/** A batch and its recipients' mails. The map is persistent: every mail changes it twice. */
export interface BatchState {
  readonly row: BatchRow;
  /** Recipients who were tried or have an outcome. */
  readonly recipients: Map<string, Recipient>;
  readonly sent: number;
  readonly failed: number;
  readonly skipped: number;
  /** When the delivery goes on; null before the first pause. */
  readonly pausedUntil: Instant | null;
}

export function evolve(state: BatchState | null, event: BatchEvent): BatchState | null {
  const row = batchAfter(state?.row, event);
  if (row === undefined) return null;
  const before: BatchState = state ?? { row, recipients: Map(), sent: 0, failed: 0, skipped: 0, pausedUntil: null };
  return { ...before, ...deliveryAfter(before, event), row };
}

function deliveryAfter(state: BatchState, event: BatchEvent): Partial<BatchState> {
  switch (event.type) {
    case 'delivery-attempted.v1': {
      const { user_id, attempt, attempted_at } = event.data;
      return withRecipient(state, user_id, { attempt, isUnderWay: true, dueAt: attempted_at + TAKEOVER });
    }
    case 'delivery-delayed.v1': {
      const { user_id, attempt, until } = event.data;
      return withRecipient(state, user_id, { attempt, isUnderWay: false, dueAt: until });
    }
    case 'delivery-made.v1':
      return { ...withRecipient(state, event.data.user_id, DONE), sent: state.sent + 1 };
    case 'delivery-failed.v1':
      return { ...withRecipient(state, event.data.user_id, DONE), failed: state.failed + 1 };
    case 'delivery-skipped.v1':
      return { ...withRecipient(state, event.data.user_id, DONE), skipped: state.skipped + 1 };
    case 'delivery-paused.v1':
      return { pausedUntil: event.data.until };
    case 'batch-created.v1':
    case 'batch-cancelled.v1':
    case 'batch-processed.v1':
    case 'batch-failed.v1':
      return {};
  }
}

/** All recipients with an outcome share it. */
const DONE: Recipient = { attempt: 0, isUnderWay: false, dueAt: Infinity };

function withRecipient(
  { recipients }: BatchState,
  userId: string,
  recipient: Recipient,
): Pick<BatchState, 'recipients'> {
  return { recipients: recipients.set(userId, recipient) };
}
