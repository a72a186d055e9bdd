import { DomainError, notFound, defineDecider } from '#kernel';
import type { UserChanged, UserEmailChanged, UserEmailsReleased, UserEvent, UserRegistered } from './user.events.js';
import { userAfter, type UserRow } from './user.row.js';

export interface RegisterUser {
  readonly type: 'register';
  readonly user: UserRegistered;
}

/** Follows the exchange of the user's address. The user's own stream knows which address they leave. */
export interface MoveEmail extends Omit<UserEmailChanged, 'previous'> {
  readonly type: 'move-email';
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
  /** The addresses that the user left and still holds. */
  readonly left: readonly string[];
  /** The last taking of every address that the user ever held. */
  readonly takings: Readonly<Record<string, number>>;
  /** What the user released last. */
  readonly released: UserEmailsReleased['addresses'];
  /** How often something ended all access tokens of the user (ruling I10): a new password, or that they were hidden. */
  readonly token_generation: number;
}

/** A user of a partner (interface 4.9, ruling E1). */
export const user = defineDecider<UserCommand, UserState | null, UserEvent>({
  category: 'user',
  initialState: null,
  decide(command, state) {
    if (command.type === 'register') return state === null ? [{ type: 'user-registered.v1', data: command.user }] : [];
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
    const released = event.type === 'user-emails-released.v1' ? event.data.addresses : (state?.released ?? []);
    const token_generation = (state?.token_generation ?? 0) + (endsTokens(state, event) ? 1 : 0);
    const version = (state?.version ?? 0) + 1;
    return { ...row, version, ...addressesAfter(state, event), released, token_generation };
  },
});

/** A restored user gets new tokens: what was hidden once does not come back. */
function endsTokens(state: UserState | null, event: UserEvent): boolean {
  if (state === null || event.type !== 'user-changed.v1') return false;
  return event.data.password !== null || (event.data.deleted && !state.deleted);
}

function moveEmail(command: MoveEmail, state: UserState): UserEvent[] {
  const { address, taking, email } = command;
  if ((state.takings[address] ?? 0) >= taking) return [];
  const previous = state.address === address ? null : state.address;
  return [{ type: 'user-email-changed.v1', data: { user_id: state.user_id, address, taking, previous, email } }];
}

function release({ user_id, left, takings }: UserState): UserEvent[] {
  if (left.length === 0) return [];
  const addresses = left.map((address) => ({ address, taking: takings[address] ?? 1 }));
  return [{ type: 'user-emails-released.v1', data: { user_id, addresses } }];
}

type Addresses = Pick<UserState, 'address' | 'left' | 'takings'>;

function addressesAfter(state: UserState | null, event: UserEvent): Addresses {
  const { address, left, takings } = state ?? { address: '', left: [], takings: {} };
  switch (event.type) {
    case 'user-registered.v1': {
      const { address: taken, taking } = event.data;
      return { address: taken, left: [], takings: { [taken]: taking } };
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
