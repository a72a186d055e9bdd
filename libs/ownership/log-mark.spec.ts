import { beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { KeyValuesInMemory } from '../../test/support/key-values-in-memory.js';
import { LogMark, type Mark, readMark } from './log-mark.js';

const at = (position: bigint, identity = 'log'): Mark => ({
  identity,
  position,
  stream: 'deal-a',
  revision: Number(position),
  id: `event ${position}`,
});

describe('the mark of a log', () => {
  let keyValues: KeyValuesInMemory;
  const markOf = (...seen: readonly Mark[]): LogMark => {
    const mark = new LogMark(keyValues, thisMachine.time);
    for (const each of seen) mark.saw(each);
    return mark;
  };
  beforeEach(() => {
    keyValues = new KeyValuesInMemory();
  });

  it('is the furthest event seen, in any order, and outlives the process', async () => {
    const mark = markOf(at(3n), at(7n), at(5n));
    expect(await mark.read()).toEqual(at(7n));
    expect(await readMark(keyValues)).toBeUndefined();
    await mark.close();
    expect(await readMark(keyValues)).toEqual(at(7n));
  });

  it('is written within about a second, and again for later events', async () => {
    const mark = markOf(at(3n));
    for (const position of [3n, 9n]) {
      mark.saw(at(position));
      while ((await readMark(keyValues))?.position !== position)
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await mark.close();
  });

  it('is never moved back by a process that knows less', async () => {
    await markOf(at(9n)).close();
    await markOf(at(4n)).close();
    expect(await readMark(keyValues)).toEqual(at(9n));
    expect(await markOf(at(4n)).read()).toEqual(at(9n));
  });

  it('does not move in a log other than the one accepted meanwhile', async () => {
    const mark = markOf(at(9n));
    await new LogMark(keyValues, thisMachine.time).reset(at(2n, 'another log'));
    await mark.close();
    expect(await readMark(keyValues)).toEqual(at(2n, 'another log'));
    expect(await mark.read()).toEqual(at(2n, 'another log'));
  });

  it('begins again at an accepted log that ends before it', async () => {
    const mark = markOf(at(9n));
    await mark.save();
    await mark.reset(at(2n));
    expect(await mark.read()).toEqual(at(2n));
    mark.saw(at(3n));
    await mark.close();
    expect(await readMark(keyValues)).toEqual(at(3n));
  });

  it('of two processes that write at the same time is the further one', async () => {
    const { insert, replace } = keyValues;
    let rivals = 2;
    const rival = async (): Promise<void> => {
      if (rivals-- > 0) await markOf(at(BigInt(8 - rivals))).save();
    };
    keyValues.insert = async (...asked) => {
      await rival();
      return insert.apply(keyValues, asked);
    };
    keyValues.replace = async (...asked) => {
      await rival();
      return replace.apply(keyValues, asked);
    };
    await markOf(at(5n)).close();
    expect((await readMark(keyValues))?.position).toBeGreaterThanOrEqual(7n);
  });
});
