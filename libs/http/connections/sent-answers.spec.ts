import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { UNTAKEN, WAITS } from '#kernel/bounds';
import type { Connection } from './connections.js';
import { SentAnswers } from './sent-answers.js';

const BYTES = 4 * 1024 * 1024;
const FIT = UNTAKEN.sent / BYTES;
const FIT_STRANGERS = UNTAKEN.sentToStrangers / BYTES;

describe('A8: large answers that the operating system may still hold', () => {
  let now: number;
  let open: Set<Connection>;
  let sent: SentAnswers;
  let asked = 0;

  beforeEach(() => {
    [now, open] = [0, new Set()];
    sent = new SentAnswers({ open }, { monotonic: () => now });
  });

  /** A call on a new connection, or on this one. */
  function ask(isStranger: boolean, connection = {} as Connection, of = `caller ${(asked += 1)}`) {
    open.add(connection);
    const isAnswered = sent.take(connection, { bytes: BYTES, of, isStranger });
    return { connection, isAnswered };
  }
  const many = (count: number, isStranger: boolean): Connection[] =>
    Array.from({ length: count }, () => {
      const { connection, isAnswered } = ask(isStranger);
      expect(isAnswered).toBe(true);
      return connection;
    });

  it('are refused beyond a bound: to strangers earlier, and then not to others', () => {
    many(FIT_STRANGERS, true);
    expect([ask(true).isAnswered, ask(false).isAnswered]).toEqual([false, true]);
    many(FIT - FIT_STRANGERS - 1, false);
    expect(ask(false).isAnswered).toBe(false);
  });

  it('count only the last one of a connection, however many it gets', () => {
    const [connection] = many(1, true);
    for (let calls = 0; calls < 2 * FIT; calls += 1) expect(ask(true, connection).isAnswered).toBe(true);
  });

  it.each([true, false])('of one caller are refused beyond a share: a stranger is %s', (isStranger) => {
    const share = (isStranger ? FIT_STRANGERS : FIT) / UNTAKEN.shares;
    for (let calls = 0; calls < share; calls += 1) expect(ask(isStranger, undefined, 'one').isAnswered).toBe(true);
    expect([ask(isStranger, undefined, 'one').isAnswered, ask(isStranger).isAnswered]).toEqual([false, true]);
  });

  it('count on when a caller begins another call: that does not show that they have read', () => {
    const [first] = many(FIT_STRANGERS, true);
    if (first !== undefined) first.call = {} as unknown as ServerResponse;
    expect(ask(true).isAnswered).toBe(false);
  });

  it.each<readonly [string, (connection: Connection) => void]>([
    ['the caller has left', (connection) => void open.delete(connection)],
    ['10 s are over', () => void (now += WAITS.answer)],
  ])('count no more when %s', (_, happens) => {
    const [first] = many(FIT_STRANGERS, true);
    expect(ask(true).isAnswered).toBe(false);
    happens(first as Connection);
    expect(ask(true).isAnswered).toBe(true);
  });
});
