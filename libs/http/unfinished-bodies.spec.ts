import { expect, it } from '@jest/globals';
import { UNFINISHED } from '#kernel/bounds';
import { UnfinishedBodies } from './unfinished-bodies.js';

it('A8: bodies that have come in part have a bound in all, and one for strangers; an end gives room back', () => {
  const bodies = new UnfinishedBodies();
  const [stranger, other, partner] = [bodies.of(true), bodies.of(true), bodies.of(false)];
  expect([stranger.take(UNFINISHED.ofStrangers), other.take(1)]).toEqual([true, false]);
  expect([partner.take(UNFINISHED.bytes - UNFINISHED.ofStrangers), partner.take(1)]).toEqual([true, false]);
  stranger.end();
  stranger.end();
  expect([other.take(1), partner.take(1)]).toEqual([true, true]);
});
