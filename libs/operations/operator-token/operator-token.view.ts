import { defineView, type Instant, value } from '#kernel';
import type { OperatorTokenEvent, OperatorRole } from './operator-token.events.js';

/** A token of an operator or auditor, without its hash. */
export interface OperatorTokenRow {
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
  readonly created_at: number;
  /** null: it has no end. */
  readonly expires_at: Instant | null;
  readonly revoked: boolean;
}

/** Whether a token has ended by itself. */
export function hasEnded({ expires_at }: Pick<OperatorTokenRow, 'expires_at'>, now: Instant): boolean {
  return expires_at !== null && expires_at <= now;
}

/** Names that look the same to people have the same key. */
export const nameKey = (name: string): string => name.trim().normalize('NFKC').toLowerCase();

export const operatorTokensView = defineView<OperatorTokenRow, OperatorTokenEvent, 'created_at' | 'living_name'>({
  name: 'operator-tokens',
  version: 3,
  key: (event) => event.data.token_id,
  on: {
    'operator-token-issued.v2': (_, { data, metadata }) => ({
      id: data.token_id,
      name: data.name,
      role: data.role,
      created_at: metadata.time,
      expires_at: data.expires_at,
      revoked: false,
    }),
    'operator-token-revoked.v1': (row) => row && { ...row, revoked: true },
  },
  fields: {
    created_at: value((row) => row.created_at),
    living_name: value((row) => (row.revoked ? null : nameKey(row.name))),
  },
  indexes: [['created_at'], ['living_name']],
});

/** The holder of a valid token. */
export interface TokenHolder {
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
  /** null: it has no end. */
  readonly expires_at: Instant | null;
}

/** Maps the keyed hash of a valid token to its holder. */
export const operatorSecretsView = defineView<TokenHolder, OperatorTokenEvent>({
  name: 'operator-secrets',
  version: 3,
  key: (event) => event.data.hash,
  on: {
    'operator-token-issued.v2': (_, { data: { token_id: id, name, role, expires_at } }) => ({
      id,
      name,
      role,
      expires_at,
    }),
    'operator-token-revoked.v1': () => undefined,
  },
});
