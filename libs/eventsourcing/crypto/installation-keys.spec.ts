import { beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring, KEYS_ENTRY, openKeys, unwrapKeys, wrapKeys, type KeyStorePast } from '#eventsourcing';
import { KeyValuesInMemory } from '../../../test/support/key-values-in-memory.js';

const key = (byte: number): Buffer => Buffer.alloc(32, byte);
const fresh: KeyStorePast = { place: 'the store', written: undefined };
const hashOf = (keyring: Keyring): string => keyring.hash('e-mail', 'ann@example.org');

describe('the keys of an installation', () => {
  let keyValues: KeyValuesInMemory;
  /** For each request of the master key: whether it might have been made. */
  let asked: boolean[];
  const master = (byte = 7) => {
    return (mayMake: boolean): Buffer => {
      asked.push(mayMake);
      return key(byte);
    };
  };
  beforeEach(() => {
    keyValues = new KeyValuesInMemory();
    asked = [];
  });

  it('are made once, at random, and stay the same', async () => {
    const first = await openKeys(keyValues, master(), fresh, thisMachine.randomness);
    expect(asked[0]).toBe(true);
    expect(hashOf(first)).not.toBe(hashOf(Keyring.of(key(7), thisMachine.randomness)));
    const again = await openKeys(keyValues, master(), { ...fresh, written: 'there is a log' }, thisMachine.randomness);
    expect(hashOf(again)).toBe(hashOf(first));
    expect(again.unwrap('a', first.wrap('a', Buffer.from('x'))).toString()).toBe('x');
    expect(again.verify('a', 'x', first.sign('a', 'x'))).toBe(true);
    const other = await openKeys(new KeyValuesInMemory(), master(), fresh, thisMachine.randomness);
    expect(hashOf(other)).not.toBe(hashOf(first));
  });

  it('are inserted by one of several rivals, and all use the same ones', async () => {
    const keyrings = await Promise.all(
      Array.from({ length: 8 }, () => openKeys(keyValues, master(), fresh, thisMachine.randomness)),
    );
    expect(new Set(keyrings.map(hashOf)).size).toBe(1);
    expect(new Set(keyrings.map((each) => each.sign('a', 'x'))).size).toBe(1);
  });

  it('refuse a wrong master key by name', async () => {
    await openKeys(keyValues, master(), fresh, thisMachine.randomness);
    await expect(openKeys(keyValues, master(8), fresh, thisMachine.randomness)).rejects.toThrow(
      'the store was written with another MASTER_KEY',
    );
  });

  it('are never made if something was already written under keys', async () => {
    await expect(
      openKeys(keyValues, master(), { ...fresh, written: 'there is a log' }, thisMachine.randomness),
    ).rejects.toThrow(/the store has no keys, but there is a log.*Put the copy of the store back/);
    expect([keyValues.texts.size, asked]).toEqual([0, []]);
  });

  it('are stored wrapped: nothing of them shows, and none can replace another', async () => {
    const keys = { hash: key(1), seal: new Map([[0, key(2)]]), url: new Map([[0, key(3)]]) };
    const text = wrapKeys(keys, key(7), thisMachine.randomness);
    for (const each of [key(1), key(2), key(3), key(7)]) {
      expect([text.includes(each.toString('base64').slice(0, 40)), text.includes(each.toString('hex'))]).toEqual([
        false,
        false,
      ]);
    }
    const moved = JSON.parse(text) as { keys: { use: string }[] };
    moved.keys.forEach((each) => (each.use = each.use === 'seal' ? 'url' : each.use === 'url' ? 'seal' : each.use));
    expect(() => unwrapKeys(JSON.stringify(moved), key(7), 'the store', thisMachine.randomness)).toThrow(
      'another MASTER_KEY',
    );
  });

  it('may have higher numbers, which seal and sign new data', async () => {
    const [old, young] = [new Map([[0, key(2)]]), new Map([0, 1].map((number) => [number, key(number + 2)]))];
    const before = Keyring.holding({ hash: key(1), seal: old, url: old }, thisMachine.randomness);
    keyValues.texts.set(
      KEYS_ENTRY,
      wrapKeys({ hash: key(1), seal: young, url: young }, key(7), thisMachine.randomness),
    );
    const keyring = await openKeys(
      keyValues,
      master(),
      { ...fresh, written: 'there is a log' },
      thisMachine.randomness,
    );
    expect(keyring.wrap('a', Buffer.alloc(1)).key).toBe(1);
    expect(keyring.sign('a', 'x')).toMatch(/^1-/);
    expect(keyring.unwrap('a', before.wrap('a', Buffer.from('x'))).toString()).toBe('x');
    expect(keyring.verify('a', 'x', before.sign('a', 'x'))).toBe(true);
  });

  it('are refused if a newer build wrote them or they are damaged', async () => {
    const good = wrapKeys(
      { hash: key(1), seal: new Map([[0, key(2)]]), url: new Map([[0, key(3)]]) },
      key(7),
      thisMachine.randomness,
    );
    keyValues.texts.set(KEYS_ENTRY, good.replace('"format":1', '"format":3'));
    await expect(openKeys(keyValues, master(), fresh, thisMachine.randomness)).rejects.toThrow(
      'the newer format 3, and this build knows only 2',
    );
    for (const wrong of [
      '',
      'null',
      '{"format":1}',
      '{"format":1,"keys":[{}]}',
      '{"format":1,"keys":[]}',
      good.slice(0, 90),
    ]) {
      keyValues.texts.set(KEYS_ENTRY, wrong);
      await expect(openKeys(keyValues, master(), fresh, thisMachine.randomness)).rejects.toThrow(
        'the keys in the store are damaged',
      );
    }
  });
});
