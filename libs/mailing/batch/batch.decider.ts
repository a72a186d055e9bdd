import { defineDecider, notFound, type DomainError } from '#kernel';
import type { BatchCreated, BatchEvent } from './batch.events.js';
import { BatchInvalid } from './batch.faults.js';
import { evolve, type BatchState } from './batch.state.js';
import { deliver, hasBegun, type DeliveryCommand } from './delivery.rules.js';

export type BatchCommand =
  /** The day's schedule gave its users a place. */
  { readonly type: 'create'; readonly batch: BatchCreated } | { readonly type: 'cancel' } | DeliveryCommand;

/** A partner's mail about a deal to some of their users (interface 2.13, 3.5, rulings F3, F4). */
export const batch = defineDecider<BatchCommand, BatchState | null, BatchEvent>({
  category: 'batch',
  initialState: null,
  evolve,
  decide(command, state, now) {
    if (command.type === 'create') return state === null ? [{ type: 'batch-created.v1', data: command.batch }] : [];
    if (command.type === 'cancel') return cancel(state);
    return deliver(command, state, now);
  },
});

function cancel(state: BatchState | null): BatchEvent[] {
  if (state === null) throw unknownBatch();
  if (state.row.status === 'cancelled') return [];
  if (hasBegun(state)) throw new BatchInvalid([{ field: 'batch_id', code: 'processed' }]);
  const { batch_id, partner_id, send_at } = state.row;
  return [{ type: 'batch-cancelled.v1', data: { batch_id, partner_id, send_at } }];
}

/** The same refusal for an unknown batch and another partner's (rulings A5, F1). */
export function unknownBatch(): DomainError {
  return notFound('you have no batch with this id');
}
