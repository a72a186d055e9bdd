import { defineDecider, notFound } from '#kernel';
import type { AccessTokenEvent, AccessTokenIssued } from './access-token.events.js';

export interface IssueOnce {
  readonly type: 'issue';
  readonly token: Omit<AccessTokenIssued, 'expires_at'>;
  /** Seconds. */
  readonly expires_in: number;
}

/** Ends a token of this user of this partner (ruling I10). */
export interface EndToken {
  readonly type: 'end';
  readonly partner_id: string;
  readonly user_id: string;
}

/** An issued token. */
export interface KnownToken extends AccessTokenIssued {
  /** Whether the partner has ended it. Its time, its user and its key may have ended it as well. */
  readonly ended: boolean;
}

/** A user's access token, issued once (interface 4.15). */
export const accessToken = defineDecider<IssueOnce | EndToken, KnownToken | null, AccessTokenEvent>({
  category: 'accessToken',
  initialState: null,
  decide(command, state, now) {
    if (command.type === 'issue') {
      const { token, expires_in } = command;
      if (state !== null) return [];
      return [{ type: 'access-token-issued.v1', data: { ...token, expires_at: now + expires_in * 1_000 } }];
    }
    if (state?.partner_id !== command.partner_id || state.user_id !== command.user_id)
      throw notFound('this user has no access token with this id: GET /users/<user_id>/access_tokens lists them');
    const { token_id, user_id, hash, ended } = state;
    return ended ? [] : [{ type: 'access-token-ended.v1', data: { token_id, user_id, hash } }];
  },
  evolve(state, event) {
    switch (event.type) {
      case 'access-token-issued.v1':
        return { ...event.data, ended: false };
      case 'access-token-ended.v1':
        return state && { ...state, ended: true };
    }
  },
});
