import { SetMetadata } from '@nestjs/common';
import type { Query } from '@nestjs/cqrs';
import type { Position } from '#kernel';
import { Refused } from './errors.js';
import type { RestrictedKey, ScopeName, TokenAccess, UserToken } from './user-token.js';

/**
 * A query that finds the user of a thing: their id; null if the thing is no user's; undefined if the partner has no such thing,
 * or if it is nobody's yet. The call itself then says what is wrong, if anything is.
 */
export type OwnerQuery = new (partnerId: string, id: string, since: Position) => Query<string | null | undefined>;

/** The scope that a partner's restricted key needs for a call; `none`: only full keys may call it (ruling I8). */
export type KeyScope = ScopeName | 'none';

/** How users call a route with their access tokens, and partners with restricted keys. */
export type TokenUse =
  | { readonly kind: 'keys'; readonly scope: KeyScope }
  | {
      readonly kind: 'tokens';
      /** Tokens and restricted keys need the same scope. */
      readonly scope: Exclude<ScopeName, 'all'>;
      /** For each parameter of the path that names a thing of one user: who owns it. */
      readonly owners: Readonly<Record<string, OwnerQuery>>;
    };

const TOKENS = 'holdfast:tokens';

/**
 * Lets users call a controller's method, or all of its methods, with an access token of this scope (ruling A7), and partners with
 * a restricted key of this scope (ruling I8). For tokens, `:user_id` in the path and the parameters `user_id` and `user` must name
 * the token's user; an absent `user_id` means that user. Every other parameter of the path that names a thing of one user needs a
 * query for its owner; `:user_id` needs one only where it may be more than an id. Each call of partners has this decorator or
 * `NoTokens`: without it the service does not start.
 */
export const TokenScope = (
  scope: Exclude<ScopeName, 'all'>,
  owners: Readonly<Record<string, OwnerQuery>> = {},
): ClassDecorator & MethodDecorator => SetMetadata(TOKENS, { kind: 'tokens', scope, owners } satisfies TokenUse);

/**
 * Lets no user call a controller's method: it is the partner's alone (rulings H2, I9).
 * @param scope what a restricted key needs for it; `all` for what belongs to no scope, `none` if only a full key may call it
 */
export const NoTokens = (scope: KeyScope): ClassDecorator & MethodDecorator =>
  SetMetadata(TOKENS, { kind: 'keys', scope } satisfies TokenUse);

/** How users call a controller's method. The method's own setting wins over the controller's. */
export function tokenUseOf(method: object, controller: object): TokenUse | undefined {
  const declared = [method, controller].map((target) => Reflect.getMetadata(TOKENS, target) as TokenUse | undefined);
  return declared[0] ?? declared[1];
}

/** Parameters of paths that name nothing of one user. */
const COMMON: ReadonlySet<string> = new Set(['deal_id', 'region_id', 'place', 'city', 'state']);

/** What a partner's route does not say about access tokens; undefined if it says everything. */
export function undeclared(path: string, use: TokenUse | undefined): string | undefined {
  if (use === undefined) return 'give it @TokenScope, or @NoTokens';
  if (use.kind === 'keys') return undefined;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const unowned = inPath.find((name) => name !== 'user_id' && !COMMON.has(name) && !(name in use.owners));
  return unowned === undefined ? undefined : `say in @TokenScope who owns ${unowned}`;
}

/** @throws Refused 403 if a token does not allow a call */
export function checkToken({ scope, access }: UserToken, use: TokenUse | undefined, needed: TokenAccess): void {
  if (use?.kind !== 'tokens') throw refused('this call is the partner’s alone: it takes no access token');
  if (!scope.includes('all') && !scope.includes(use.scope)) {
    throw refused(`this call needs an access token with the scope ${use.scope}`);
  }
  if (!access.includes(needed)) throw refused(`this call needs an access token with the access ${needed}`);
}

/** @throws Refused 403 if a restricted key does not allow a call (ruling I8) */
export function checkKey({ scope, access }: RestrictedKey, use: TokenUse | undefined, needed: TokenAccess): void {
  if (use === undefined || use.scope === 'none') throw refused('this call needs a full key: yours is restricted');
  if (!scope.includes('all') && !scope.includes(use.scope))
    throw refused(`this call needs a key with the scope ${use.scope}`);
  if (!access.includes(needed)) throw refused(`this call needs a key with the access ${needed}`);
}

/** The refusal of what a token or a restricted key does not allow. */
export function refused(words: string): Refused {
  return new Refused(403, 'auth_failed', words);
}

/** The refusal of a call about another user than the token's. */
export function otherUser(): Refused {
  return refused('this access token belongs to another user');
}
