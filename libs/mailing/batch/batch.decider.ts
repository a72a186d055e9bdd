import { defineDecider, notFound, type DomainError } from '#kernel';
import type { BatchCreated, BatchEvent } from './batch.events.js';
import { batchAfter, type BatchRow } from './batch.row.js';

export type BatchCommand =
  /** The day's schedule gave its users a place. */
  { readonly type: 'create'; readonly batch: BatchCreated } | { readonly type: 'cancel' };

/** A partner's mail about a deal to some of their users (interface 2.13, 3.5). */
export const batch = defineDecider<BatchCommand, BatchRow | null, BatchEvent>({
  category: 'batch',
  initialState: null,
  evolve: (state, event) => batchAfter(state ?? undefined, event) ?? null,
  decide(command, state) {
    if (command.type === 'create') return state === null ? [{ type: 'batch-created.v1', data: command.batch }] : [];
    if (state === null) throw unknownBatch();
    if (state.status === 'cancelled') return [];
    const { batch_id, partner_id, send_at } = state;
    return [{ type: 'batch-cancelled.v1', data: { batch_id, partner_id, send_at } }];
  },
});

/** The same refusal for an unknown batch and another partner's (rulings A5, F1). */
export function unknownBatch(): DomainError {
  return notFound('you have no batch with this id');
}
