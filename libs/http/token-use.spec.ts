import { describe, expect, it } from '@jest/globals';
import { Query } from '@nestjs/cqrs';
import { checkKey, checkToken, NoTokens, TokenScope, tokenUseOf, undeclared } from './token-use.js';
import type { UserToken } from './user-token.js';

class OwnerOfThing extends Query<string | undefined> {
  constructor(readonly partnerId: string) {
    super();
  }
}

@TokenScope('coupon')
class Coupons {
  list(): void {
    return;
  }
  @TokenScope('coupon', { coupon_id: OwnerOfThing })
  redeem(): void {
    return;
  }
  @NoTokens('none')
  issue(): void {
    return;
  }
  @NoTokens('purchase')
  claim(): void {
    return;
  }
  @NoTokens('all')
  mail(): void {
    return;
  }
}
const useOf = (name: 'list' | 'redeem' | 'issue' | 'claim' | 'mail') => tokenUseOf(Coupons.prototype[name], Coupons);

describe('A7: how users call a route', () => {
  it('is what the method says, or else what the controller says', () => {
    expect([useOf('list'), useOf('redeem'), useOf('issue')]).toEqual([
      { kind: 'tokens', scope: 'coupon', owners: {} },
      { kind: 'tokens', scope: 'coupon', owners: { coupon_id: OwnerOfThing } },
      { kind: 'keys', scope: 'none' },
    ]);
    expect(tokenUseOf(Coupons.prototype.list, OwnerOfThing)).toBeUndefined();
  });

  it.each([
    ['/coupons', undefined, 'give it @TokenScope, or @NoTokens'],
    ['/coupons/:coupon_id', useOf('issue'), undefined],
    ['/users/:user_id/coupons', useOf('list'), undefined],
    ['/regions/:place/deals', useOf('list'), undefined],
    ['/coupons/:coupon_id/redeem', useOf('list'), 'say in @TokenScope who owns coupon_id'],
    ['/coupons/:coupon_id/redeem', useOf('redeem'), undefined],
    ['/coupons/:coupon_id/:part_id', useOf('redeem'), 'say in @TokenScope who owns part_id'],
  ])('%s cannot be forgotten: %j lacks %s', (path, use, missing) => {
    expect(undeclared(path, use)).toBe(missing);
  });

  it.each([
    [['coupon'], ['read'], 'read', 'list', undefined],
    [['all'], ['read', 'write'], 'write', 'list', undefined],
    [['user', 'deal'], ['read'], 'read', 'list', 'this call needs an access token with the scope coupon'],
    [['all'], ['read'], 'write', 'redeem', 'this call needs an access token with the access write'],
    [['all'], ['read', 'write'], 'write', 'issue', 'this call is the partner’s alone: it takes no access token'],
  ] as const)('a token of %j and %j that needs %s for %s: %s', (scope, access, needed, name, words) => {
    const token: UserToken = { id: 't1', user_id: 'u1', scope, access };
    const check = (): void => checkToken(token, useOf(name), needed);
    if (words === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ status: 403, errorType: 'auth_failed', message: words }));
  });

  it.each([
    [['coupon'], ['read'], 'read', 'list', undefined],
    [['purchase'], ['write'], 'write', 'claim', undefined],
    [['all'], ['read', 'write'], 'write', 'mail', undefined],
    [['user', 'deal'], ['read'], 'read', 'list', 'this call needs a key with the scope coupon'],
    [['coupon'], ['write'], 'write', 'claim', 'this call needs a key with the scope purchase'],
    [['coupon', 'purchase'], ['write'], 'write', 'mail', 'this call needs a key with the scope all'],
    [['all'], ['read'], 'write', 'redeem', 'this call needs a key with the access write'],
    [['all'], ['read', 'write'], 'write', 'issue', 'this call needs a full key: yours is restricted'],
  ] as const)('I8: a restricted key of %j and %j that needs %s for %s: %s', (scope, access, needed, name, words) => {
    const check = (): void => checkKey({ name: 'till', scope, access }, useOf(name), needed);
    if (words === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ status: 403, errorType: 'auth_failed', message: words }));
  });
});
