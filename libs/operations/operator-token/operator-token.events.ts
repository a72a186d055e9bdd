// These names are on disk.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

export const OPERATOR_ROLES = ['operator', 'auditor'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** The events of a token. They store it only as a keyed hash. */
export type OperatorTokenEvent =
  | EventOf<
      'operator-token-issued.v2',
      {
        readonly token_id: string;
        readonly name: string;
        readonly role: OperatorRole;
        readonly hash: string;
        /** null: it has no end. */
        readonly expires_at: Instant | null;
      }
    >
  | EventOf<'operator-token-revoked.v1', { readonly token_id: string; readonly hash: string }>;

export const operatorTokenEvents = defineEventTypes<OperatorTokenEvent>(
  'operatorToken',
  { 'operator-token-issued.v2': true, 'operator-token-revoked.v1': true },
  [
    {
      from: 'operator-token-issued.v1',
      to: 'operator-token-issued.v2',
      // Tokens had no end.
      change: (data) => ({ ...data, expires_at: null }),
    },
  ],
  { 'operator-token-issued.v2': ['expires_at?'] },
);
