import { describe, expect, it } from '@jest/globals';
import { plainPath } from './paths.js';

describe('A1: one form of a path', () => {
  it.each([
    ['/purchases/1', '/purchases/1'],
    ['/v1/purchases/1', '/purchases/1'],
    ['/api/v1/purchases/1', '/purchases/1'],
    ['/v1/purchases/1.json?api_key=a.json', '/purchases/1?api_key=a.json'],
    ['/deals/spa.json', '/deals/spa'],
    ['/deals/v1/spa', '/deals/v1/spa'],
    ['/api/v3/deals.json?fields=id', '/api/v3/deals?fields=id'],
    ['/api/v3/resellers/purchases', '/api/v3/resellers/purchases'],
    // Generation 3 has only its own prefix.
    ['/v1/api/v3/deals', '/v1/api/v3/deals'],
    ['/api/v1/api/v3/deals.json', '/api/v1/api/v3/deals.json'],
    // A path has one prefix, and a whole one.
    ['/v1/v1/deals', '/v1/deals'],
    ['/v10/deals', '/v10/deals'],
    // The paths of operators, auditors and monitoring have no prefix.
    ['/operators/deals/spa', '/operators/deals/spa'],
    ['/operators/deals/spa.json', '/operators/deals/spa.json'],
    ['/v1/operators/deals/spa', '/v1/operators/deals/spa'],
    ['/api/v1/auditors/purchases/1/history', '/api/v1/auditors/purchases/1/history'],
    ['/openapi.json', '/openapi.json'],
    ['/v1/health/live', '/v1/health/live'],
    ['/operators-club.json', '/operators-club'],
    // A target that is not a path has no route.
    ['*', '//'],
    ['foo://x/deals', '//'],
  ])('%s is %s', (given, plain) => {
    expect(plainPath(given)).toBe(plain);
  });
});

describe('A8: a part of a path that is too long', () => {
  const cut = '-'.repeat(255);
  const euros = (count: number): string => '%E2%82%AC'.repeat(count);

  it.each([
    [`/deals/${'x'.repeat(3_000)}`, `/deals/${cut}`],
    [`/v1/coupons/${euros(5_000)}/s/print.json?a=${euros(400)}`, `/coupons/${cut}/s/print?a=${euros(400)}`],
    [`/operators/deals/${euros(300)}?a=1`, `/operators/deals/${cut}?a=1`],
    [`/api/v3/regions/${euros(300)}/MA/deals`, `/api/v3/regions/${cut}/MA/deals`],
    // Longer than it may be, or not, when it is decoded.
    [`/deals/${euros(254)}`, `/deals/${euros(254)}`],
    [`/deals/${euros(254)}/${euros(254)}`, `/deals/${euros(254)}/${euros(254)}`],
  ])('is unknown before anybody decodes it: %s', (given, plain) => {
    expect(plainPath(given)).toBe(plain);
  });
});
