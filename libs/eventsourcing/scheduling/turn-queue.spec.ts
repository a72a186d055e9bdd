import { describe, expect, it } from '@jest/globals';
import { TurnQueue } from './turn-queue.js';

describe('I17: a queue whose owners take turns', () => {
  const taken = (queue: TurnQueue<string>): readonly (string | undefined)[] => {
    const all: (string | undefined)[] = [];
    for (let item = queue.take(); item !== undefined; item = queue.take()) all.push(item);
    return all;
  };

  it('gives each owner one turn after another, and each their own order', () => {
    const queue = new TurnQueue<string>({ together: 10, ofOwner: 10 });
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(item.slice(0, 1), item);
    expect(taken(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('has room for so many of one owner, and so many in all', () => {
    const queue = new TurnQueue<string>({ together: 3, ofOwner: 2 });
    expect(['a1', 'a2', 'a3', 'b1', 'b2'].map((item) => queue.add(item.slice(0, 1), item))).toEqual([
      true,
      true,
      false,
      true,
      false,
    ]);
    queue.take();
    expect(queue.add('a', 'a4')).toBe(true);
  });

  it('gives room back for what is taken out before its turn, once', () => {
    const queue = new TurnQueue<string>({ together: 2, ofOwner: 2 });
    queue.add('a', 'a1');
    queue.add('a', 'a2');
    queue.remove('a', 'a1');
    queue.remove('a', 'a1');
    queue.remove('b', 'a2');
    expect([queue.add('b', 'b1'), queue.add('b', 'b2')]).toEqual([true, false]);
    expect(taken(queue)).toEqual(['a2', 'b1']);
  });

  it('is empty after it is cleared', () => {
    const queue = new TurnQueue<string>({ together: 2, ofOwner: 2 });
    queue.add('a', 'a1');
    queue.add('b', 'b1');
    expect(queue.clear()).toEqual(['a1', 'b1']);
    expect(taken(queue)).toEqual([]);
    expect(queue.add('c', 'c1') && queue.add('d', 'd1')).toBe(true);
  });
});
