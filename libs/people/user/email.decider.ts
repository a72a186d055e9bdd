import { DomainError, defineDecider } from '#kernel';
import type { EmailEvent, EmailExchanged } from './email.events.js';
import type { UserRegistered } from './user.events.js';

/** Asks whether this user may have the address; leads to no event. */
export interface AskForEmail {
  readonly type: 'ask';
  readonly user_id: string;
}

/** A new user takes the address. */
export interface TakeEmail {
  readonly type: 'take';
  readonly user: Omit<UserRegistered, 'taking' | 'created_at'>;
}

/** A user leaves their address for this one. */
export interface ExchangeEmail extends Omit<EmailExchanged, 'taking'> {
  readonly type: 'exchange';
}

/** Ends one taking of the address. */
export interface FreeEmail {
  readonly type: 'free';
  readonly user_id: string;
  readonly taking: number;
}

export type EmailCommand = AskForEmail | TakeEmail | ExchangeEmail | FreeEmail;

export interface EmailState {
  /** The user who has it; null while it is free. */
  readonly user_id: string | null;
  /** How often it was taken; `freed` is the last taking that has ended. */
  readonly taking: number;
  readonly freed: number;
  /** The id of the last exchange for this address; null after a new user took it. */
  readonly change_id: string | null;
}

/**
 * An e-mail address belongs to one user of the partner (ruling E1). It counts its takings: when a user returns to an
 * address that they left, a late release of the earlier taking does not take it from them.
 */
export const email = defineDecider<EmailCommand, EmailState, EmailEvent>({
  category: 'email',
  initialState: { user_id: null, taking: 0, freed: 0, change_id: null },
  decide(command, state, now) {
    switch (command.type) {
      case 'ask':
        mayHave(state, command.user_id);
        return [];
      case 'take': {
        const { user } = command;
        mayHave(state, user.user_id);
        if (state.user_id !== null) return [];
        return [{ type: 'email-taken.v1', data: { ...user, taking: state.taking + 1, created_at: now } }];
      }
      case 'exchange': {
        const { type: _, ...exchange } = command;
        if (state.change_id === exchange.change_id) return [];
        mayHave(state, exchange.user_id);
        return [{ type: 'email-exchanged.v1', data: { ...exchange, taking: state.taking + 1 } }];
      }
      case 'free': {
        const { user_id, taking } = command;
        return taking <= state.freed ? [] : [{ type: 'email-freed.v1', data: { user_id, taking } }];
      }
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'email-taken.v1':
        return { ...state, user_id: event.data.user_id, taking: event.data.taking, change_id: null };
      case 'email-exchanged.v1': {
        const { user_id, taking, change_id } = event.data;
        return { ...state, user_id, taking, change_id };
      }
      case 'email-freed.v1': {
        const { taking } = event.data;
        return { ...state, user_id: taking === state.taking ? null : state.user_id, freed: taking };
      }
    }
  },
});

/** @throws DomainError email_taken */
function mayHave(state: EmailState, userId: string): void {
  if (state.user_id !== null && state.user_id !== userId)
    throw new DomainError('email_taken', 'has already been taken');
}
