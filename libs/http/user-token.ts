/** The resources that an access token or a partner's key can be limited to (rulings A7, I8); `all` is every one of them. */
export const TOKEN_SCOPES = [
  'all',
  'user',
  'credit_card',
  'purchase',
  'coupon',
  'card_link',
  'saved_deal',
  'subscription',
  'deal',
  'region',
] as const;
export type ScopeName = (typeof TOKEN_SCOPES)[number];

/** What an access token or a restricted key allows: `read` is GET, `write` every other method. */
export const TOKEN_ACCESS = ['read', 'write'] as const;
export type TokenAccess = (typeof TOKEN_ACCESS)[number];

/** A user's access token (interface 4.15, ruling A7): its caller is the partner's user, not the partner. */
export interface UserToken {
  /** The token's id in events and logs. The token itself is a secret. */
  readonly id: string;
  readonly user_id: string;
  readonly scope: readonly ScopeName[];
  readonly access: readonly TokenAccess[];
}

/** What a partner's restricted key allows (ruling I8). It is bound to no user: its caller is the partner. */
export interface RestrictedKey {
  /** Identifies the keys of one name, which replace each other and allow the same. */
  readonly name: string;
  readonly scope: readonly ScopeName[];
  readonly access: readonly TokenAccess[];
}
