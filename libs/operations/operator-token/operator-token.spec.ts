import { describe, expect, it } from '@jest/globals';
import { Codec } from '#eventsourcing';
import type { DomainCode, Recorded } from '#kernel';
import { given, rowsOf } from '../../../test/support/given-when-then.js';
import { operatorToken, type OperatorTokenCommand } from './operator-token.decider.js';
import { type OperatorTokenEvent, operatorTokenEvents } from './operator-token.events.js';
import { operatorSecretsView, operatorTokensView } from './operator-token.view.js';

const issue: OperatorTokenCommand = {
  type: 'issue',
  token_id: 't1',
  name: 'ann',
  role: 'auditor',
  hash: 'h1',
  expires_in: null,
};
const revoke: OperatorTokenCommand = { type: 'revoke', token_id: 't1' };
const issued: OperatorTokenEvent = {
  type: 'operator-token-issued.v2',
  data: { token_id: 't1', name: 'ann', role: 'auditor', hash: 'h1', expires_at: null },
};
const revoked: OperatorTokenEvent = { type: 'operator-token-revoked.v1', data: { token_id: 't1', hash: 'h1' } };

describe('G14.1: the end of a token', () => {
  it('is so many seconds from now on', () => {
    expect(operatorToken.decide({ ...issue, expires_in: 90 }, operatorToken.initialState, 5_000)).toEqual([
      { ...issued, data: { ...issued.data, expires_at: 95_000 } },
    ]);
  });

  it('is missing in events of earlier builds: those tokens have none', () => {
    const data = { token_id: 't1', name: 'ann', role: 'auditor', hash: 'h1' };
    const old = { type: 'operator-token-issued.v1', data, stream: 'operatorToken-t1', revision: 0 };
    expect(new Codec([operatorTokenEvents]).decode(old as unknown as Recorded)).toMatchObject(issued);
  });
});

describe('G1: a token of an operator or auditor', () => {
  it.each<readonly [string, OperatorTokenEvent[], OperatorTokenCommand, OperatorTokenEvent[] | DomainCode]>([
    ['is issued', [], issue, [issued]],
    ['is issued once', [issued], issue, []],
    ['is revoked', [issued], revoke, [revoked]],
    ['is revoked once', [issued, revoked], revoke, []],
    ['does not come back', [issued, revoked], issue, []],
    ['that is not there cannot be revoked', [], revoke, 'not_found'],
  ])('%s', (_, before, command, after) => {
    given(operatorToken, before).when(command).then(after);
  });

  it('is listed without its hash; the hash finds its holder until it is revoked', async () => {
    const history = [issued, revoked].map((event) => ({ ...event, stream: 'operatorToken-t1', time: 5 }));
    const row = { id: 't1', name: 'ann', role: 'auditor', created_at: 5, expires_at: null, revoked: false };
    expect(await rowsOf(operatorTokensView, history.slice(0, 1))).toEqual({ t1: row });
    expect(await rowsOf(operatorTokensView, history)).toEqual({ t1: { ...row, revoked: true } });
    expect(await rowsOf(operatorSecretsView, history.slice(0, 1))).toEqual({
      h1: { id: 't1', name: 'ann', role: 'auditor', expires_at: null },
    });
    expect(await rowsOf(operatorSecretsView, history)).toEqual({});
  });
});
