import { notFound, defineDecider } from '#kernel';
import type { OperatorTokenEvent, OperatorRole } from './operator-token.events.js';

export type OperatorTokenState =
  | { readonly status: 'none' }
  | { readonly status: 'living' | 'revoked'; readonly hash: string };

export type OperatorTokenCommand =
  | {
      readonly type: 'issue';
      readonly token_id: string;
      readonly name: string;
      readonly role: OperatorRole;
      readonly hash: string;
      /** Seconds; null: it has no end. */
      readonly expires_in: number | null;
    }
  | { readonly type: 'revoke'; readonly token_id: string };

/** One token of an operator or auditor (ruling G1). */
export const operatorToken = defineDecider<OperatorTokenCommand, OperatorTokenState, OperatorTokenEvent>({
  category: 'operatorToken',
  initialState: { status: 'none' },
  decide(command, state, now) {
    const { token_id } = command;
    if (command.type === 'issue') {
      const { name, role, hash, expires_in } = command;
      if (state.status !== 'none') return [];
      const expires_at = expires_in === null ? null : now + expires_in * 1_000;
      return [{ type: 'operator-token-issued.v2', data: { token_id, name, role, hash, expires_at } }];
    }
    if (state.status === 'none') throw notFound('no token has this id: GET /operators/tokens lists them');
    return state.status === 'revoked'
      ? []
      : [{ type: 'operator-token-revoked.v1', data: { token_id, hash: state.hash } }];
  },
  evolve(_, event) {
    switch (event.type) {
      case 'operator-token-issued.v2':
        return { status: 'living', hash: event.data.hash };
      case 'operator-token-revoked.v1':
        return { status: 'revoked', hash: event.data.hash };
    }
  },
});
