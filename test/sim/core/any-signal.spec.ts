import { expect, it } from '@jest/globals';
import { anySignal } from './any-signal.js';

it('a signal of several is aborted with the first of them, for its reason', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const signal = anySignal([one.signal, other.signal]);
  const seen: unknown[] = [];
  signal.addEventListener('abort', () => seen.push(signal.reason));
  expect(signal.aborted).toBe(false);
  other.abort('the other');
  one.abort('the one');
  expect(seen).toEqual(['the other']);
  expect(anySignal([new AbortController().signal, one.signal, other.signal]).reason).toBe('the one');
  expect(anySignal([]).aborted).toBe(false);
});
