import { defineView, value } from '#kernel';
import type { OperatorTokenEvent, OperatorRole } from './operator-token.events.js';

/** A token of an operator or auditor, without its hash. */
export interface OperatorTokenRow {
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
  readonly created_at: number;
  readonly revoked: boolean;
}

/** Names that look the same to people have the same key. */
export const nameKey = (name: string): string => name.trim().normalize('NFKC').toLowerCase();

export const operatorTokensView = defineView<OperatorTokenRow, OperatorTokenEvent, 'created_at' | 'living_name'>({
  name: 'operator-tokens',
  version: 2,
  key: (event) => event.data.token_id,
  on: {
    'operator-token-issued.v1': (_, { data, metadata }) => ({
      id: data.token_id,
      name: data.name,
      role: data.role,
      created_at: metadata.time,
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
}

/** Maps the keyed hash of a valid token to its holder. */
export const operatorSecretsView = defineView<TokenHolder, OperatorTokenEvent>({
  name: 'operator-secrets',
  version: 2,
  key: (event) => event.data.hash,
  on: {
    'operator-token-issued.v1': (_, { data }) => ({ id: data.token_id, name: data.name, role: data.role }),
    'operator-token-revoked.v1': () => undefined,
  },
});
