import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring, ViewChanges, type Engine } from '#eventsourcing';
import { given, rowsOf } from '../../../test/support/given-when-then.js';
import { accessToken } from './access-token.decider.js';
import type { AccessTokenEvent } from './access-token.events.js';
import { accessTokensView } from './access-token.view.js';
import { AccessTokens } from './access-tokens.js';

const token = {
  token_id: 't1',
  user_id: 'u1',
  partner_id: 'acme',
  hash: 'hashed',
  scope: ['user', 'coupon'],
  access: ['read'],
} as const;
const isIssued: AccessTokenEvent = { type: 'access-token-issued.v1', data: { ...token, expires_at: 60_077 } };

describe('4.15: an access token', () => {
  it('A11: is issued only once, with its end by the clock of the decision', () => {
    const command = { type: 'issue', token, expires_in: 60 } as const;
    given(accessToken).when(command, 77).then([isIssued]);
    given(accessToken, [isIssued])
      .when({ ...command, token: { ...token, hash: 'other' } }, 99)
      .then([]);
  });

  it('A7: is found by its keyed hash', async () => {
    expect(await rowsOf(accessTokensView, [{ ...isIssued, stream: 'accessToken-t1' }])).toEqual({
      hashed: isIssued.data,
    });
  });
});

describe('A7: the user of an access token', () => {
  const keyring = Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness);
  let now = 0;
  let owner: object | null = { partner_id: 'acme', deleted: false };
  const engine = {
    keyring,
    changes: new ViewChanges(),
    clock: { now: () => now },
    loop: { read: () => Promise.resolve(owner) },
    views: {
      reader: () => ({
        get: (key: string) =>
          Promise.resolve(
            key === keyring.hash('access-token', 'secret') ? { key, row: isIssued.data, position: 1n } : undefined,
          ),
      }),
    },
  } as unknown as Engine;

  it('is found until the token ends, by the clock alone, and while the partner has the user', async () => {
    const tokens = new AccessTokens(engine);
    const found = { id: 't1', user_id: 'u1', partner_id: 'acme', scope: ['user', 'coupon'], access: ['read'] };
    expect([await tokens.find('secret'), await tokens.find('other')]).toEqual([found, undefined]);
    now = 60_076;
    expect(await tokens.find('secret')).toEqual(found);
    for (const hidden of [{ partner_id: 'acme', deleted: true }, { partner_id: 'rival', deleted: false }, null]) {
      owner = hidden;
      expect(await tokens.find('secret')).toBeUndefined();
    }
    owner = { partner_id: 'acme', deleted: false };
    now = 60_077;
    expect(await tokens.find('secret')).toBeUndefined();
  });
});
