import { DomainError, defineDecider } from '#kernel';
import type { EmailEvent, UserEvent, UserRegistered } from './user.events.js';
import { userAfter, type UserRow } from './user.row.js';

export interface TakeEmail {
  readonly type: 'take';
  readonly user: Omit<UserRegistered, 'created_at'>;
}

/** An e-mail address belongs to one user of the partner (ruling E1). */
export const email = defineDecider<TakeEmail, { readonly user_id: string | null }, EmailEvent>({
  category: 'email',
  initialState: { user_id: null },
  decide(command, state, now) {
    if (state.user_id === command.user.user_id) return [];
    if (state.user_id !== null) throw new DomainError('email_taken', 'has already been taken');
    return [{ type: 'email-taken.v1', data: { ...command.user, created_at: now } }];
  },
  evolve: (_, event) => ({ user_id: event.data.user_id }),
});

export interface RegisterUser {
  readonly type: 'register';
  readonly user: UserRegistered;
}

/** A user. The state is the row: it keeps what is sealed sealed. */
export const user = defineDecider<RegisterUser, UserRow | null, UserEvent>({
  category: 'user',
  initialState: null,
  decide: (command, state) => (state === null ? [{ type: 'user-registered.v1', data: command.user }] : []),
  evolve: (state, event) => userAfter(state ?? undefined, event),
});
