import { DomainError, notFound, defineDecider } from '#kernel';
import type { UserChanged, UserEmailChanged, UserEmailsReleased, UserEvent, UserRegistered } from './user.events.js';
import { userAfter, type UserRow } from './user.row.js';

export interface RegisterUser {
  readonly type: 'register';
  readonly user: UserRegistered;
}

/** Follows the exchange of the user's address. The user's own stream knows best which address they leave. */
export interface MoveEmail extends Omit<UserEmailChanged, 'previous'> {
  readonly type: 'move-email';
  /** The stream of the address that the user had at the time of the request; used where the state knows none. */
  readonly from: string;
}

/** Changes a user who has not changed since they were read, and releases the addresses that they left. */
export interface ChangeUser extends Omit<UserChanged, 'user_id'> {
  readonly type: 'change';
  /** The version that was read. */
  readonly based_on: number;
}

/** Releases the addresses that the user left. */
export interface ReleaseEmails {
  readonly type: 'release';
}

export type UserCommand = RegisterUser | MoveEmail | ChangeUser | ReleaseEmails;

/** The row, with its sealed fields, and what decisions need besides. */
export interface UserState extends UserRow {
  /** The number of the user's events; a change names the version it is based on. */
  readonly version: number;
  /** The stream of the user's e-mail address; null where only the profile holds the address (version 1). */
  readonly address: string | null;
  /** The addresses that the user left and still holds. */
  readonly left: readonly string[];
  /** The last taking of every address that the user ever held. */
  readonly takings: Readonly<Record<string, number>>;
  /** Whether the user ever changed to another address. */
  readonly moved: boolean;
  /** What the user released last. */
  readonly released: UserEmailsReleased['addresses'];
}

/** A user of a partner (interface 4.9, ruling E1). */
export const user = defineDecider<UserCommand, UserState | null, UserEvent>({
  category: 'user',
  initialState: null,
  decide(command, state) {
    if (command.type === 'register') return state === null ? [{ type: 'user-registered.v2', data: command.user }] : [];
    if (state === null) throw notFound('you have no user with this id');
    switch (command.type) {
      case 'move-email':
        return moveEmail(command, state);
      case 'change': {
        const { type: _, based_on, ...changed } = command;
        if (based_on !== state.version) throw new DomainError('user_moved', 'the user was changed in between');
        return [{ type: 'user-changed.v1', data: { user_id: state.user_id, ...changed } }, ...release(state)];
      }
      case 'release':
        return release(state);
    }
  },
  evolve(state, event) {
    const row = userAfter(state ?? undefined, event);
    if (row === undefined) return null;
    const moves = event.type === 'user-email-changed.v1' && event.data.previous !== null;
    const moved = moves || (state?.moved ?? false);
    const released = event.type === 'user-emails-released.v1' ? event.data.addresses : (state?.released ?? []);
    return { ...row, version: (state?.version ?? 0) + 1, ...addressesAfter(state, event), moved, released };
  },
});

function moveEmail(command: MoveEmail, state: UserState): UserEvent[] {
  const { address, taking, email, from } = command;
  if ((state.takings[address] ?? 0) >= taking) return [];
  const held = state.address ?? from;
  const previous = held === address ? null : held;
  return [{ type: 'user-email-changed.v1', data: { user_id: state.user_id, address, taking, previous, email } }];
}

function release({ user_id, left, takings }: UserState): UserEvent[] {
  if (left.length === 0) return [];
  // Version 1 of a registration counts no takings: its address was taken once.
  const addresses = left.map((address) => ({ address, taking: takings[address] ?? 1 }));
  return [{ type: 'user-emails-released.v1', data: { user_id, addresses } }];
}

type Addresses = Pick<UserState, 'address' | 'left' | 'takings'>;

function addressesAfter(state: UserState | null, event: UserEvent): Addresses {
  const { address, left, takings } = state ?? { address: null, left: [], takings: {} };
  switch (event.type) {
    case 'user-registered.v2': {
      const { address: taken, taking } = event.data;
      return { address: taken, left: [], takings: taken === null ? {} : { [taken]: taking } };
    }
    case 'user-email-changed.v1': {
      const { address: taken, taking, previous } = event.data;
      const leaves = previous === null ? left : [...left, previous];
      return {
        address: taken,
        left: leaves.filter((each) => each !== taken),
        takings: { ...takings, [taken]: taking },
      };
    }
    case 'user-changed.v1':
      return { address, left, takings };
    case 'user-emails-released.v1':
      return { address, left: [], takings };
  }
}
