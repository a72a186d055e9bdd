import { describe, expect, it } from '@jest/globals';
import { DAY, MINUTE } from '#kernel';
import { KeyValuesInMemory } from '../../../test/support/key-values-in-memory.js';
import { KeyUses } from './key-uses.js';
import { engineOf } from '../../../test/support/engine-of.js';

const KEY = { hash: 'h', name: null, restriction: null };

/** Key values that count their writes, and can fail. */
class CountedValues extends KeyValuesInMemory {
  writes = 0;
  broken = false;

  override async insert(name: string, text: string): Promise<string> {
    this.#note();
    return super.insert(name, text);
  }

  override async replace(name: string, expected: string, text: string): Promise<boolean> {
    this.#note();
    return super.replace(name, expected, text);
  }

  #note(): void {
    if (this.broken) throw new Error('no room');
    this.writes += 1;
  }
}

describe('I8: the last use of a key', () => {
  let now = 0;
  let keys: Readonly<Record<string, object>> = {};
  const values = new CountedValues();
  const opened = (mayWrite = (): boolean => true): KeyUses => {
    const engine = engineOf({ clock: { now: () => now }, loop: { read: () => Promise.resolve({ keys }) } });
    return new KeyUses(engine.writer, engine.clock, values, mayWrite);
  };
  const day = (n: number): number => Date.parse(`2030-01-0${n}T00:00:00Z`);

  it('is written once a day, whatever process sees it, and ends with the key', async () => {
    [now, keys] = [day(1) + 5, { k1: KEY, k2: KEY }];
    const [one, other] = [opened(), opened()];
    for (let n = 0; n < 50; n += 1) one.note('p1', 'k1');
    other.note('p1', 'k2');
    await Promise.all([one.close(), other.close()]);
    other.note('p1', 'k1');
    await other.close();
    expect(await one.of('p1')).toEqual({ k1: '2030-01-01', k2: '2030-01-01' });
    expect(values.writes).toBe(2 + 1);
    now = day(2) - 1;
    one.note('p1', 'k1');
    await one.close();
    expect(values.writes).toBe(3);
    now = day(2);
    one.note('p1', 'k1');
    await one.close();
    expect(await other.of('p1')).toEqual({ k1: '2030-01-02', k2: '2030-01-01' });
    keys = { k1: KEY };
    await one.forget('p1');
    expect([await one.of('p1'), await one.of('p2')]).toEqual([{ k1: '2030-01-02' }, {}]);
  });

  it('is tried again a minute after it could not be written, and fails no call', async () => {
    [now, keys] = [day(3), { k1: KEY }];
    let may = false;
    const uses = opened(() => may);
    const seen = async (): Promise<unknown> => {
      uses.note('p3', 'k1');
      await uses.close();
      return uses.of('p3');
    };
    expect(await seen()).toEqual({});
    [may, values.broken] = [true, true];
    now += MINUTE - 1;
    expect(await seen()).toEqual({});
    now += 1;
    expect(await seen()).toEqual({});
    values.broken = false;
    expect(await seen()).toEqual({});
    now += MINUTE;
    expect(await seen()).toEqual({ k1: '2030-01-03' });
    now += DAY;
    expect(await seen()).toEqual({ k1: '2030-01-04' });
  });
});
