import { DomainError, notFound, defineDecider, type Instant } from '#kernel';
import type {
  UserChanged,
  UserEmailChanged,
  UserEmailsReleased,
  UserErased,
  UserEvent,
  UserRegistered,
} from './user.events.js';
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

/** Erases a user whose key is destroyed (ruling G12). */
export interface EraseUser {
  readonly type: 'erase';
  readonly reason: string;
}

export type UserCommand = RegisterUser | MoveEmail | ChangeUser | ReleaseEmails | EraseUser;

/** When and why a user was erased. */
export interface ErasedUser {
  readonly at: Instant;
  readonly reason: string;
}

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
  /** Null for a user who is not erased. */
  readonly erased: ErasedUser | null;
}

/** A user of a partner (interface 4.9, rulings E1, G12). An erased one is like an unknown one, to whom nothing happens any more. */
export const user = defineDecider<UserCommand, UserState | null, UserEvent>({
  category: 'user',
  initialState: null,
  decide(command, state, now) {
    if (command.type === 'register') return state === null ? [{ type: 'user-registered.v1', data: command.user }] : [];
    if (state === null) throw notFound('you have no user with this id');
    switch (command.type) {
      case 'erase':
        return erase(command.reason, state, now);
      case 'move-email':
        return moveEmail(command, state);
      case 'change': {
        const { type: _, based_on, ...changed } = command;
        if (state.erased !== null) throw notFound('you have no user with this id');
        if (based_on !== state.version) throw new DomainError('user_moved', 'the user was changed in between');
        return [{ type: 'user-changed.v1', data: { user_id: state.user_id, ...changed } }, ...release(state)];
      }
      case 'release':
        return release(state);
    }
  },
  evolve(state, event) {
    if (event.type === 'user-erased.v1') return state && withoutData(state, event.data);
    const row = userAfter(state ?? undefined, event);
    if (row === undefined) return null;
    const released = event.type === 'user-emails-released.v1' ? event.data.addresses : (state?.released ?? []);
    const token_generation = (state?.token_generation ?? 0) + (endsTokens(state, event) ? 1 : 0);
    const version = (state?.version ?? 0) + 1;
    const { erased = null } = state ?? {};
    return { ...row, version, ...addressesAfter(state, event), released, token_generation, erased };
  },
});

/** A restored user gets new tokens: what was hidden once does not come back. */
function endsTokens(state: UserState | null, event: UserEvent): boolean {
  if (state === null || event.type !== 'user-changed.v1') return false;
  return event.data.password !== null || (event.data.deleted && !state.deleted);
}

/** Holds no address any more. Its last row would show nothing: views drop it. */
function withoutData(state: UserState, { reason, addresses, erased_at }: UserErased): UserState {
  const { version, token_generation } = state;
  return {
    ...state,
    profile: '',
    new_email: null,
    deleted: true,
    version: version + 1,
    token_generation: token_generation + 1,
    address: '',
    left: [],
    released: addresses,
    erased: { at: erased_at, reason },
  };
}

function erase(reason: string, state: UserState, now: Instant): UserEvent[] {
  const { user_id, erased, address, left, takings } = state;
  if (erased !== null) return [];
  const addresses = [address, ...left].map((each) => ({ address: each, taking: takings[each] ?? 1 }));
  return [{ type: 'user-erased.v1', data: { user_id, reason, erased_at: now, addresses } }];
}

function moveEmail(command: MoveEmail, state: UserState): UserEvent[] {
  const { address, taking, email } = command;
  // The address was taken before they were erased: it is free again.
  if (state.erased !== null) return freeAgain(address, taking, state);
  if ((state.takings[address] ?? 0) >= taking) return [];
  const previous = state.address === address ? null : state.address;
  return [{ type: 'user-email-changed.v1', data: { user_id: state.user_id, address, taking, previous, email } }];
}

function freeAgain(address: string, taking: number, { user_id, takings }: UserState): UserEvent[] {
  if ((takings[address] ?? 0) >= taking) return [];
  return [{ type: 'user-emails-released.v1', data: { user_id, addresses: [{ address, taking }] } }];
}

function release({ user_id, left, takings }: UserState): UserEvent[] {
  if (left.length === 0) return [];
  const addresses = left.map((address) => ({ address, taking: takings[address] ?? 1 }));
  return [{ type: 'user-emails-released.v1', data: { user_id, addresses } }];
}

type ChangesAddresses = Exclude<UserEvent, { readonly type: 'user-erased.v1' }>;
type Addresses = Pick<UserState, 'address' | 'left' | 'takings'>;

function addressesAfter(state: UserState | null, event: ChangesAddresses): Addresses {
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
      return { address, left: [], takings: { ...takings, ...takingsOf(event.data) } };
  }
}

function takingsOf({ addresses }: UserEmailsReleased): Readonly<Record<string, number>> {
  return Object.fromEntries(addresses.map(({ address, taking }) => [address, taking]));
}
