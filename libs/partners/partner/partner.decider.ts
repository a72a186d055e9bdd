import { DomainError, notFound, defineDecider } from '#kernel';
import type { PartnerEvent } from './partner.events.js';

export interface PartnerState {
  readonly exists: boolean;
  readonly slug: string;
  /** Keyed hashes of the valid keys by key id; `revoked` has the ids of the revoked ones. */
  readonly keys: Readonly<Record<string, string>>;
  readonly revoked: readonly string[];
  readonly password: string | null;
  /** Where this partner's mails link to (ruling H4): an https address with `{deal_id}` in it. */
  readonly storefront_url: string | null;
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
  | { readonly type: 'issue-key'; readonly partner_id: string; readonly key_id: string; readonly hash: string }
  | { readonly type: 'revoke-key'; readonly partner_id: string; readonly key_id: string }
  | { readonly type: 'set-password'; readonly partner_id: string; readonly hash: string }
  | { readonly type: 'set-storefront'; readonly partner_id: string; readonly storefront_url: string | null };

/** A partner and its credentials (rulings A4, G2). The v3 username is the partner's slug. */
export const partner = defineDecider<PartnerCommand, PartnerState, PartnerEvent>({
  category: 'partner',
  initialState: { exists: false, slug: '', keys: {}, revoked: [], password: null, storefront_url: null },
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
        { type: 'partner-key-issued.v1', data: { partner_id, ...key } },
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
        const { key_id, hash } = command;
        const known = Object.hasOwn(state.keys, key_id) || state.revoked.includes(key_id);
        return known ? [] : [{ type: 'partner-key-issued.v1', data: { partner_id, key_id, hash } }];
      }
      case 'revoke-key': {
        const { key_id } = command;
        if (state.revoked.includes(key_id)) return [];
        const hash = Object.hasOwn(state.keys, key_id) ? state.keys[key_id] : undefined;
        if (hash === undefined)
          throw notFound('this partner has no key with this id: GET /operators/partners lists them');
        return [{ type: 'partner-key-revoked.v1', data: { partner_id, key_id, hash } }];
      }
      case 'set-password':
        return state.password === command.hash
          ? []
          : [{ type: 'partner-password-set.v1', data: { partner_id, username: state.slug, hash: command.hash } }];
      case 'set-storefront':
        return state.storefront_url === command.storefront_url
          ? []
          : [storefrontSet(partner_id, command.storefront_url)];
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'partner-created.v1':
        return { ...state, exists: true, slug: event.data.slug };
      case 'partner-key-issued.v1':
        return { ...state, keys: { ...state.keys, [event.data.key_id]: event.data.hash } };
      case 'partner-key-revoked.v1': {
        const { [event.data.key_id]: _, ...keys } = state.keys;
        return { ...state, keys, revoked: [...state.revoked, event.data.key_id] };
      }
      case 'partner-password-set.v1':
        return { ...state, password: event.data.hash };
      case 'partner-storefront-set.v1':
        return { ...state, storefront_url: event.data.storefront_url };
    }
  },
});

function storefrontSet(partner_id: string, storefront_url: string | null): PartnerEvent {
  return { type: 'partner-storefront-set.v1', data: { partner_id, storefront_url } };
}
