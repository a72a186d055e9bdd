// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

/** An access token of a user (interface 2.14). The log has it only as a keyed hash. */
export interface AccessTokenIssued {
  /** Names the token in events and logs. It opens nothing. */
  readonly token_id: string;
  readonly user_id: string;
  readonly partner_id: string;
  readonly hash: string;
  /** Names of resources, or `all`. */
  readonly scope: readonly string[];
  /** `read`, `write` or both. */
  readonly access: readonly string[];
  readonly expires_at: Instant;
  /** The partner's key that issued it: it ends with that key (ruling I10). */
  readonly key_id: string;
  /** The user's `token_generation` at that time: when that grows, the token ends. */
  readonly generation: number;
}

/** The partner ended a token before its time. */
export interface AccessTokenEnded {
  readonly token_id: string;
  readonly user_id: string;
  readonly hash: string;
}

export type AccessTokenEvent =
  | EventOf<'access-token-issued.v1', AccessTokenIssued>
  | EventOf<'access-token-ended.v1', AccessTokenEnded>;

export const accessTokenEvents = defineEventTypes<AccessTokenEvent>(
  'accessToken',
  {
    'access-token-issued.v1': true,
    'access-token-ended.v1': true,
  },
  [],
  {
    'access-token-issued.v1': ['expires_at', 'generation'],
  },
);
