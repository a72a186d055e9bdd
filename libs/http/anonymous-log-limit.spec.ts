import { expect, it } from '@jest/globals';
import { ANONYMOUS_LOG_LINES } from '#kernel/bounds';
import { AnonymousLogLimit } from './anonymous-log-limit.js';
import { timeWith } from '../../test/support/time-with.js';

const { ofAddress, altogether } = ANONYMOUS_LOG_LINES;

function bounded(): {
  lines: AnonymousLogLimit;
  reported: object[];
  take: (address: string, times: number) => number;
  later: (by: number) => void;
} {
  const reported: object[] = [];
  let now = 0;
  const lines = new AnonymousLogLimit((notLogged) => reported.push(notLogged), timeWith({ monotonic: () => now }));
  const take = (address: string, times: number): number =>
    Array.from({ length: times }, () => lines.takes(address, 401)).filter(Boolean).length;
  return { lines, reported, take, later: (by) => (now += by) };
}

it('An address gets a bounded number of lines per second, and its other requests are counted by status', () => {
  const { lines, reported, take, later } = bounded();
  expect(take('10.0.0.1', ofAddress + 7)).toBe(ofAddress);
  expect(lines.takes('10.0.0.1', 404)).toBe(false);
  expect(lines.takes('10.0.0.1', null)).toBe(false);
  expect(take('10.0.0.2', 3)).toBe(3);
  later(999);
  expect(take('10.0.0.1', 1)).toBe(0);
  later(1);
  expect(take('10.0.0.1', 1)).toBe(1);
  expect(reported).toEqual([]);
  lines.end();
  lines.end();
  expect(reported).toEqual([{ 401: 8, 404: 1, unanswered: 1 }]);
});

it('All addresses together get a bounded number of lines per second', () => {
  const { lines, take } = bounded();
  const taken = Array.from({ length: altogether }, (_, number) => take(`10.0.1.${number}`, 2));
  expect(taken.reduce((sum, each) => sum + each)).toBe(altogether);
  lines.end();
});
