import { expect, it } from '@jest/globals';
import { namedOnce } from './named-once.js';

it('things are found by their names', () => {
  const found = namedOnce('lists', [{ name: 'a' }, { name: 'b' }], ({ name }) => name);
  expect([...found.keys(), found.get('b')]).toEqual(['a', 'b', { name: 'b' }]);
});

it('a second thing of one name is an error, not a replacement', () => {
  expect(() => namedOnce('lists', [{ name: 'a' }, { name: 'a' }], ({ name }) => name)).toThrow(
    'there are two lists with the name a',
  );
});
