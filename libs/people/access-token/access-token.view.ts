import { defineView } from '#kernel';
import type { AccessTokenEvent, AccessTokenIssued } from './access-token.events.js';

/** Access tokens by their keyed hash, those that have expired too. */
export const accessTokensView = defineView<AccessTokenIssued, AccessTokenEvent>({
  name: 'access-tokens',
  version: 1,
  key: (event) => event.data.hash,
  on: { 'access-token-issued.v1': (_, { data }) => data },
});
