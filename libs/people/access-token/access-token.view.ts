import { defineView, value, type Instant } from '#kernel';
import type { AccessTokenEvent, AccessTokenIssued } from './access-token.events.js';

/** An access token that was issued, whatever has become of it. */
export interface AccessTokenRow extends AccessTokenIssued {
  readonly created_at: Instant;
  /** Whether the partner has ended it. */
  readonly ended: boolean;
}

type Fields = 'user_id' | 'partner_id' | 'key_id' | 'generation' | 'ended' | 'created_at' | 'expires_at';

/** Access tokens by their keyed hash, those that have ended too. */
export const accessTokensView = defineView<AccessTokenRow, AccessTokenEvent, Fields>({
  name: 'access-tokens',
  version: 2,
  key: (event) => event.data.hash,
  on: {
    'access-token-issued.v1': (_, { data, metadata }) => ({ ...data, created_at: metadata.time, ended: false }),
    'access-token-ended.v1': (row) => row && { ...row, ended: true },
  },
  fields: {
    user_id: value((row) => row.user_id),
    partner_id: value((row) => row.partner_id),
    key_id: value((row) => row.key_id),
    generation: value((row) => row.generation),
    ended: value((row) => row.ended),
    created_at: value((row) => row.created_at),
    expires_at: value((row) => row.expires_at),
  },
  orders: [
    { by: ['user_id', { descending: 'created_at' }], covers: [] },
    { by: ['partner_id', { descending: 'created_at' }], covers: [] },
    { by: [{ descending: 'created_at' }], covers: [] },
  ],
});
