import { expect, it } from '@jest/globals';
import { storeOn } from './rate-limit-store.js';

const WINDOW = 60_000;

it('A8: a limit counts each caller by the time of its process, from its first request of a window', () => {
  let now = 5;
  const store = new (storeOn({ monotonic: () => now }))({});
  const counted: unknown[] = [];
  const count = (key: string): void => store.incr(key, (_, result) => counted.push(result), WINDOW, 10);
  count('a');
  now += 40_000;
  count('a');
  count('b');
  now += 20_000;
  count('a');
  count('b');
  expect(counted).toEqual([
    { current: 1, ttl: WINDOW },
    { current: 2, ttl: 20_000 },
    { current: 1, ttl: WINDOW },
    { current: 1, ttl: WINDOW },
    { current: 2, ttl: 40_000 },
  ]);
});

it('A8: limits count apart', () => {
  const store = new (storeOn({ monotonic: () => 0 }))({});
  const counted: unknown[] = [];
  const route = { method: 'GET', url: '/', path: '/', prefix: '', handler: () => undefined } as const;
  for (const each of [store, store.child(route), store.child(route)])
    each.incr('a', (_, result) => counted.push(result?.current), WINDOW, 10);
  expect(counted).toEqual([1, 1, 1]);
});
