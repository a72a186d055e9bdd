import { DomainError, notFound, defineDecider } from '#kernel';
import { IN_A_LIFE } from '#kernel/bounds';
import type { KeyRestriction, PartnerEvent, PartnerKeyIssued } from './partner.events.js';

/** A valid key. */
export interface KnownKey {
  readonly hash: string;
  readonly name: string | null;
  /** Null for a full key. */
  readonly restriction: KeyRestriction | null;
}

export interface PartnerState {
  readonly exists: boolean;
  readonly slug: string;
  /** The valid keys by key id; `revoked` has the ids of the revoked ones. */
  readonly keys: Readonly<Record<string, KnownKey>>;
  readonly revoked: readonly string[];
  /** The keyed hash of the v3 password. */
  readonly password: string | null;
  /** Where this partner's mails link to (ruling H4): an https address with `{deal_id}` in it. */
  readonly storefront_url: string | null;
  /** Whether an operator has paused all of its credentials, its users' tokens and its mails (ruling I10). */
  readonly suspended: boolean;
}

export type PartnerCommand =
  | {
      readonly type: 'create';
      readonly partner_id: string;
      readonly name: string;
      readonly slug: string;
      readonly key: { readonly key_id: string; readonly hash: string };
      readonly password: string;
      readonly storefront_url: string | null;
    }
  | { readonly type: 'enrol'; readonly partner_id: string; readonly name: string; readonly slug: string }
  | ({ readonly type: 'issue-key' } & PartnerKeyIssued)
  | { readonly type: 'revoke-key'; readonly partner_id: string; readonly key_id: string }
  | { readonly type: 'set-password'; readonly partner_id: string; readonly hash: string }
  | ({ readonly type: 'change'; readonly partner_id: string } & PartnerChange);

/** What operators change of a partner; what is undefined stays. */
export interface PartnerChange {
  readonly storefront_url?: string | null | undefined;
  readonly suspended?: boolean | undefined;
}

/** A partner and its credentials (rulings A4, G2). The v3 username is the partner's slug. */
export const partner = defineDecider<PartnerCommand, PartnerState, PartnerEvent>({
  category: 'partner',
  initialState: {
    exists: false,
    slug: '',
    keys: {},
    revoked: [],
    password: null,
    storefront_url: null,
    suspended: false,
  },
  decide(command, state) {
    const { partner_id } = command;
    if (command.type === 'create') {
      const { name, slug, key, password, storefront_url } = command;
      if (state.exists) {
        if (Object.hasOwn(state.keys, key.key_id)) return [];
        throw new DomainError('slug_taken', 'has already been taken');
      }
      return [
        { type: 'partner-created.v1', data: { partner_id, name, slug } },
        { type: 'partner-key-issued.v1', data: { partner_id, ...key, name: null, restriction: null } },
        { type: 'partner-password-set.v1', data: { partner_id, username: slug, hash: password } },
        ...(storefront_url === null ? [] : [storefrontSet(partner_id, storefront_url)]),
      ];
    }
    if (command.type === 'enrol') {
      const { name, slug } = command;
      return state.exists ? [] : [{ type: 'partner-created.v1', data: { partner_id, name, slug } }];
    }
    if (!state.exists) throw notFound('no partner has this id: GET /operators/partners lists them');
    switch (command.type) {
      case 'issue-key': {
        const { type: _, ...key } = command;
        if (Object.hasOwn(state.keys, key.key_id) || state.revoked.includes(key.key_id)) return [];
        refuseTooMany(state);
        if (!agrees(state, key)) throw new DomainError('key_name_taken', 'names a key that allows something else');
        return [{ type: 'partner-key-issued.v1', data: key }];
      }
      case 'revoke-key': {
        const { key_id } = command;
        if (state.revoked.includes(key_id)) return [];
        const key = keyOf(state, key_id);
        if (key === undefined)
          throw notFound('this partner has no key with this id: GET /operators/partners lists them');
        return [{ type: 'partner-key-revoked.v1', data: { partner_id, key_id, hash: key.hash } }];
      }
      case 'set-password':
        return state.password === command.hash
          ? []
          : [{ type: 'partner-password-set.v1', data: { partner_id, username: state.slug, hash: command.hash } }];
      case 'change': {
        const { storefront_url = state.storefront_url, suspended = state.suspended } = command;
        return [
          ...(storefront_url === state.storefront_url ? [] : [storefrontSet(partner_id, storefront_url)]),
          ...(suspended === state.suspended ? [] : [suspensionSet(partner_id, suspended)]),
        ];
      }
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'partner-created.v1':
        return { ...state, exists: true, slug: event.data.slug };
      case 'partner-key-issued.v1':
        return { ...state, keys: { ...state.keys, [event.data.key_id]: knownKey(event.data) } };
      case 'partner-key-revoked.v1': {
        const { [event.data.key_id]: _, ...keys } = state.keys;
        return { ...state, keys, revoked: [...state.revoked, event.data.key_id] };
      }
      case 'partner-password-set.v1':
        return { ...state, password: event.data.hash };
      case 'partner-storefront-set.v1':
        return { ...state, storefront_url: event.data.storefront_url };
      case 'partner-suspension-set.v1':
        return { ...state, suspended: event.data.suspended };
    }
  },
});

function storefrontSet(partner_id: string, storefront_url: string | null): PartnerEvent {
  return { type: 'partner-storefront-set.v1', data: { partner_id, storefront_url } };
}

function suspensionSet(partner_id: string, suspended: boolean): PartnerEvent {
  return { type: 'partner-suspension-set.v1', data: { partner_id, suspended } };
}

/** @throws DomainError keys_used_up */
function refuseTooMany({ keys, revoked }: PartnerState): void {
  const valid = Object.keys(keys).length;
  if (valid >= IN_A_LIFE.validKeys) {
    throw new DomainError('keys_used_up', `the partner has ${valid} valid keys: revoke one that is not used`);
  }
  const all = valid + revoked.length;
  if (all >= IN_A_LIFE.keys) {
    throw new DomainError('keys_used_up', `the partner has had ${all} keys, the most that one may ever have`);
  }
}

/** The valid key with this id. Ids come from callers: `constructor` is none. */
export function keyOf({ keys }: Pick<PartnerState, 'keys'>, keyId: string): KnownKey | undefined {
  return Object.hasOwn(keys, keyId) ? keys[keyId] : undefined;
}

function knownKey({ hash, name, restriction }: PartnerKeyIssued): KnownKey {
  return { hash, name, restriction };
}

/** What identifies the keys of a name: names that look the same to people are one. */
export function keyNamed(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ');
}

/**
 * Whether the valid keys of this name allow the same. A name may have several keys, so that one can replace another; records of
 * repeats belong to the name (ruling I11), so all of them must see the same.
 */
function agrees({ keys }: PartnerState, { name, restriction }: PartnerKeyIssued): boolean {
  const others = Object.values(keys).filter(
    (key) => name !== null && key.name !== null && keyNamed(key.name) === keyNamed(name),
  );
  return others.every((key) => inWords(key.restriction) === inWords(restriction));
}

function inWords(restriction: KeyRestriction | null): string {
  return JSON.stringify(restriction && [[...restriction.scope].sort(), [...restriction.access].sort()]);
}
