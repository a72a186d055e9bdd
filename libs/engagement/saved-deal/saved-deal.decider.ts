import { defineDecider, notFound, type DomainError } from '#kernel';
import type { DealSaved, SavedDealEvent } from './saved-deal.events.js';
import type { SavedDealState } from './saved-deal.state.js';

export type SavedDealCommand =
  | { readonly type: 'save'; readonly saved: Omit<DealSaved, 'created_at'> }
  | { readonly type: 'remove' };

/** A deal that a user keeps, at most once at a time (interface 4.11, ruling E3). It may be saved again after its removal. */
export const savedDeal = defineDecider<SavedDealCommand, SavedDealState, SavedDealEvent>({
  category: 'savedDeal',
  initialState: { status: 'none' },
  decide(command, state, now) {
    if (command.type === 'save') {
      return state.status === 'kept' ? [] : [{ type: 'deal-saved.v1', data: { ...command.saved, created_at: now } }];
    }
    if (state.status !== 'kept') throw unknownSavedDeal();
    const { saved_deal_id, deal_id, user_id } = state.saved;
    return [{ type: 'saved-deal-removed.v1', data: { saved_deal_id, deal_id, user_id } }];
  },
  evolve: (_, event) =>
    event.type === 'deal-saved.v1' ? { status: 'kept', saved: event.data } : { status: 'removed' },
});

/** The same refusal for an unknown, a removed and another partner's saved deal (rulings A5, A8). */
export function unknownSavedDeal(): DomainError {
  return notFound('you have no saved deal with this id');
}
