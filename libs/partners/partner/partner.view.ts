import { defineView, unchanged, value, type Instant } from '#kernel';
import type { KeyRestriction, PartnerEvent } from './partner.events.js';

/** A partner with the ids of its keys, without their hashes. */
export interface PartnerRow {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly storefront_url: string | null;
  readonly created_at: Instant;
  readonly suspended: boolean;
  readonly keys: readonly ListedKey[];
}

/** A key of a partner, without its hash. */
export interface ListedKey {
  readonly key_id: string;
  readonly name: string | null;
  /** Null for a full key. */
  readonly restriction: KeyRestriction | null;
  readonly created_at: Instant;
  readonly revoked: boolean;
}

export const partnersView = defineView<PartnerRow, PartnerEvent, 'created_at'>({
  name: 'partners',
  version: 2,
  key: (event) => event.data.partner_id,
  on: {
    'partner-created.v1': (_, { data, metadata }) => ({
      id: data.partner_id,
      name: data.name,
      slug: data.slug,
      storefront_url: null,
      created_at: metadata.time,
      suspended: false,
      keys: [],
    }),
    'partner-key-issued.v1': (row, { data: { key_id, name, restriction }, metadata }) =>
      row && { ...row, keys: [...row.keys, { key_id, name, restriction, created_at: metadata.time, revoked: false }] },
    'partner-key-revoked.v1': (row, { data }) =>
      row && {
        ...row,
        keys: row.keys.map((key) => (key.key_id === data.key_id ? { ...key, revoked: true } : key)),
      },
    'partner-password-set.v1': unchanged,
    'partner-storefront-set.v1': (row, { data }) => row && { ...row, storefront_url: data.storefront_url },
    'partner-suspension-set.v1': (row, { data }) => row && { ...row, suspended: data.suspended },
  },
  fields: { created_at: value((row) => row.created_at) },
  indexes: [['created_at']],
});

/** Maps the keyed hash of an API key to its partner. */
export const apiKeysView = defineView<{ readonly partner_id: string; readonly key_id: string }, PartnerEvent>({
  name: 'api-keys',
  version: 1,
  key: (event) => ('hash' in event.data ? event.data.hash : []),
  on: {
    'partner-created.v1': unchanged,
    'partner-key-issued.v1': (_, { data }) => ({ partner_id: data.partner_id, key_id: data.key_id }),
    'partner-key-revoked.v1': () => undefined,
    'partner-password-set.v1': unchanged,
    'partner-storefront-set.v1': unchanged,
    'partner-suspension-set.v1': unchanged,
  },
});

/** Maps a v3 user name to its partner and the keyed hash of the password. */
export const v3PasswordsView = defineView<{ readonly partner_id: string; readonly hash: string }, PartnerEvent>({
  name: 'v3-passwords',
  version: 1,
  key: (event) => ('username' in event.data ? event.data.username : []),
  on: {
    'partner-created.v1': unchanged,
    'partner-key-issued.v1': unchanged,
    'partner-key-revoked.v1': unchanged,
    'partner-password-set.v1': (_, { data }) => ({ partner_id: data.partner_id, hash: data.hash }),
    'partner-storefront-set.v1': unchanged,
    'partner-suspension-set.v1': unchanged,
  },
});
