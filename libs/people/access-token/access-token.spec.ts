import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring, ViewChanges } from '#eventsourcing';
import { given, rowsOf } from '../../../test/support/given-when-then.js';
import { accessToken } from './access-token.decider.js';
import type { AccessTokenEvent } from './access-token.events.js';
import { accessTokensView } from './access-token.view.js';
import { AccessTokens } from './access-tokens.js';
import { engineOf } from '../../../test/support/engine-of.js';

const token = {
  token_id: 't1',
  user_id: 'u1',
  partner_id: 'acme',
  hash: 'hashed',
  key_id: 'k1',
  generation: 2,
  scope: ['user', 'coupon'],
  access: ['read'],
} as const;
const isIssued: AccessTokenEvent = { type: 'access-token-issued.v1', data: { ...token, expires_at: 60_077 } };

const hasEnded: AccessTokenEvent = {
  type: 'access-token-ended.v1',
  data: { token_id: 't1', user_id: 'u1', hash: 'hashed' },
};
const row = { ...isIssued.data, created_at: 5, ended: false };

describe('4.15: an access token', () => {
  it('A11: is issued only once, with its end by the clock of the decision', () => {
    const command = { type: 'issue', token, expires_in: 60 } as const;
    given(accessToken).when(command, 77).then([isIssued]);
    given(accessToken, [isIssued])
      .when({ ...command, token: { ...token, hash: 'other' } }, 99)
      .then([]);
  });

  it('A7: is found by its keyed hash', async () => {
    const at = { stream: 'accessToken-t1', time: 5 };
    expect(await rowsOf(accessTokensView, [{ ...isIssued, ...at }])).toEqual({ hashed: row });
    const both = [isIssued, hasEnded].map((event) => ({ ...event, ...at }));
    expect(await rowsOf(accessTokensView, both)).toEqual({ hashed: { ...row, ended: true } });
  });

  it('I10: is ended by its partner once, and is nobody else’s', () => {
    const end = { type: 'end', partner_id: 'acme', user_id: 'u1' } as const;
    given(accessToken, [isIssued]).when(end).then([hasEnded]);
    given(accessToken, [isIssued, hasEnded]).when(end).then([]);
    given(accessToken).when(end).then('not_found');
    given(accessToken, [isIssued])
      .when({ ...end, partner_id: 'rival' })
      .then('not_found');
    given(accessToken, [isIssued])
      .when({ ...end, user_id: 'u2' })
      .then('not_found');
  });
});

describe('A7: the user of an access token', () => {
  const keyring = Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness);
  const OWNER = { partner_id: 'acme', deleted: false, token_generation: 2 };
  let now = 0;
  let owner: object | null = OWNER;
  let state: object | null = row;
  /** What the log has, if this process does not know it yet. */
  let newest: Readonly<Record<string, object>> = {};
  const known = ({ category }: { readonly category: string }): object | null => (category === 'user' ? owner : state);
  const engine = engineOf({
    keyring,
    changes: new ViewChanges(),
    clock: { now: () => now },
    loop: {
      read: (decider: { readonly category: string }) => Promise.resolve(known(decider)),
      readNow: (decider: { readonly category: string }) => Promise.resolve(newest[decider.category] ?? known(decider)),
    },
    views: {
      reader: () => ({
        get: (key: string) =>
          Promise.resolve(key === keyring.hash('access-token', 'secret') ? { key, row, position: 1n } : undefined),
      }),
    },
  });
  const found = {
    id: 't1',
    user_id: 'u1',
    partner_id: 'acme',
    key_id: 'k1',
    scope: ['user', 'coupon'],
    access: ['read'],
  };

  it('is found until the token ends, by the clock alone, and while the partner has the user', async () => {
    const tokens = new AccessTokens(engine.writer, engine.reader, engine.keyring, engine.clock, engine.changes);
    expect([await tokens.find('secret'), await tokens.find('other')]).toEqual([found, undefined]);
    now = 60_076;
    expect(await tokens.find('secret')).toEqual(found);
    for (const hidden of [{ ...OWNER, deleted: true }, { ...OWNER, partner_id: 'rival' }, null]) {
      owner = hidden;
      expect(await tokens.find('secret')).toBeUndefined();
    }
    owner = OWNER;
    now = 60_077;
    expect(await tokens.find('secret')).toBeUndefined();
    now = 0;
  });

  it('I10: is not found once the token, or all tokens of the user, have ended, whatever the view still has', async () => {
    const tokens = new AccessTokens(engine.writer, engine.reader, engine.keyring, engine.clock, engine.changes);
    expect(await tokens.find('secret')).toEqual(found);
    state = { ...row, ended: true };
    expect(await tokens.find('secret')).toBeUndefined();
    [state, owner] = [row, { ...OWNER, token_generation: 3 }];
    expect(await tokens.find('secret')).toBeUndefined();
    owner = OWNER;
    expect(await tokens.find('secret')).toEqual(found);
  });

  it('I10: is found where another process has issued the token, or has changed the user before that', async () => {
    [state, owner, newest] = [null, { ...OWNER, token_generation: 1 }, { accessToken: row, user: OWNER }];
    expect(
      await new AccessTokens(engine.writer, engine.reader, engine.keyring, engine.clock, engine.changes).find('secret'),
    ).toEqual(found);
  });
});
