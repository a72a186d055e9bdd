import { utcTime } from '#kernel';
import type { AccessTokenRow } from './access-token.view.js';

/** A token in a list (ruling I10). */
export function presentAccessToken({ token_id, scope, access, created_at, expires_at }: AccessTokenRow): object {
  return {
    id: token_id,
    scope: scope.join(','),
    access: access.join(','),
    created_at: utcTime(created_at),
    expires_at: utcTime(expires_at),
  };
}
