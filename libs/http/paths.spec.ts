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
