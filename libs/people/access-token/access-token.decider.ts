import { defineDecider } from '#kernel';
import type { AccessTokenEvent, AccessTokenIssued } from './access-token.events.js';

export interface IssueOnce {
  readonly type: 'issue';
  readonly token: Omit<AccessTokenIssued, 'expires_at'>;
  /** Seconds. */
  readonly expires_in: number;
}

/** A user's access token, issued once (interface 4.15). It ends by the clock alone. */
export const accessToken = defineDecider<IssueOnce, AccessTokenIssued | null, AccessTokenEvent>({
  category: 'accessToken',
  initialState: null,
  decide: ({ token, expires_in }, state, now) =>
    state === null
      ? [{ type: 'access-token-issued.v1', data: { ...token, expires_at: now + expires_in * 1_000 } }]
      : [],
  evolve: (_, event) => event.data,
});
