import type { ArgumentsHost } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { StoreFailed, Unavailable } from '#eventsourcing';
import { NOBODY, type Caller } from './call.js';
import { AnswerErrors } from './exception.filter.js';

const OPERATOR: Caller = { kind: 'operator', role: 'operator', name: 'ann', credential: 'c' } as Caller;

/** What such a caller gets for an error: the status, the message and when to come back. */
function answered(error: unknown, caller: Caller): readonly unknown[] {
  const got: unknown[] = [];
  const reply = {
    request: { call: { caller }, headers: {}, trace: { requestId: 'r' }, log: {} },
    status: (status: number) => (got.push(status), reply),
    headers: (headers: Record<string, string>) => (got.push(headers['retry-after']), reply),
    send: ({ error_msg }: { error_msg: string }) => (got.push(error_msg), reply),
  };
  const host = { switchToHttp: () => ({ getResponse: () => reply }) } as unknown as ArgumentsHost;
  new AnswerErrors(pino({ level: 'silent' })).catch(error, host);
  return got;
}

describe('A8, G11: the reason why the service cannot answer', () => {
  const NOT_NOW = 'the service cannot answer now: try again after Retry-After seconds';

  it.each<[error: Error, after: string]>([
    [new Unavailable('inventory-d1 is busy', 3), '3'],
    [new Unavailable('esdb://log-1.internal:2113 cannot be opened: refused', 1), '1'],
    [new StoreFailed('views/coupons.db'), '10'],
  ])('is not for strangers: %s', (error, after) => {
    expect(answered(error, NOBODY)).toEqual([503, after, NOT_NOW]);
  });

  it('is for those who have shown a credential', () => {
    expect(answered(new Unavailable('inventory-d1 is busy', 3), OPERATOR)).toEqual([503, '3', 'inventory-d1 is busy']);
  });

  it('hides no other refusal from strangers', () => {
    expect(answered(new Error('secret'), NOBODY)).toEqual([
      500,
      undefined,
      'a fault of ours; please report the Request-Id',
    ]);
  });
});
