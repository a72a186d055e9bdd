import { beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { LiveKeys, SETTLES_AFTER, withChangeEnded, withNewKey, withNewKeyUsed } from '#eventsourcing';
import { KeyValuesInMemory } from '../../../test/support/key-values-in-memory.js';

const [OLD_MASTER, NEW_MASTER] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];

describe('G14: the keys of a process that shares its key store', () => {
  let keyValues: KeyValuesInMemory;
  let now: number;
  beforeEach(() => {
    keyValues = new KeyValuesInMemory();
    now = 0;
  });
  const machine = { ...thisMachine, time: { ...thisMachine.time, monotonic: () => now } };
  const open = (master: () => Buffer = () => OLD_MASTER): Promise<LiveKeys> =>
    LiveKeys.open(keyValues, master, { place: 'the store', written: undefined }, machine);
  const key = Buffer.alloc(32, 1);

  it('are read again when they are no longer fresh, and then open what another process seals', async () => {
    const [mine, theirs] = [await open(), await open()];
    await mine.replace(withNewKey(mine.opened.keys, 'seal', key), OLD_MASTER);
    await mine.replace(withNewKeyUsed(mine.opened.keys), OLD_MASTER);
    const sealed = mine.keyring.wrap('a', Buffer.from('x'));
    await theirs.fresh();
    expect(() => theirs.keyring.unwrap('a', sealed)).toThrow('no seal key of the number 1');
    now = 3_000;
    await theirs.fresh();
    expect(theirs.keyring.unwrap('a', sealed).toString()).toBe('x');
  });

  it('carry a slow write out again if another key seals now, and a quick one once', async () => {
    const [mine, theirs] = [await open(), await open()];
    const written: number[] = [];
    const write = (takes: number) => async (): Promise<void> => {
      written.push(theirs.keyring.wrap('a', Buffer.from('x')).key);
      now += takes;
      await Promise.resolve();
    };
    await theirs.sealing(write(9_000));
    expect(written).toEqual([0]);
    await mine.replace(withNewKey(mine.opened.keys, 'seal', key), OLD_MASTER);
    await theirs.refresh();
    await mine.replace(withNewKeyUsed(mine.opened.keys), OLD_MASTER);
    await mine.replace(withChangeEnded(mine.opened.keys), OLD_MASTER);
    // It was stopped for a whole rotation, between sealing and writing.
    await theirs.sealing(write(SETTLES_AFTER));
    expect(written).toEqual([0, 0, 1]);
  });

  it('are replaced by one of two processes, and the other one goes on from there', async () => {
    const [mine, theirs] = [await open(), await open()];
    const next = (live: LiveKeys): Promise<boolean> =>
      live.replace(withNewKey(live.opened.keys, 'url', key), OLD_MASTER);
    expect((await Promise.all([next(mine), next(theirs)])).toSorted()).toEqual([false, true]);
    expect(theirs.keyring.ids).toEqual(mine.keyring.ids);
    expect(() => withNewKey(theirs.opened.keys, 'seal', key)).toThrow('a rotation of a key is under way');
  });

  it('open with both master keys while one follows the other, and then say which one is needed', async () => {
    const mine = await open();
    await mine.replace(mine.opened.keys, OLD_MASTER, NEW_MASTER);
    const restarted = await open(() => NEW_MASTER);
    expect([mine.opened.isNext, restarted.opened.isNext, restarted.opened.hasNext]).toEqual([false, true, true]);
    expect(restarted.keyring.ids).toEqual(mine.keyring.ids);
    await restarted.replace(restarted.opened.keys, NEW_MASTER);
    now = 3_000;
    await expect(mine.fresh()).rejects.toMatchObject({ name: 'Unavailable' });
    await expect(mine.fresh()).rejects.toThrow('After a rotation of the master key, that is the new one');
    await expect(open()).rejects.toMatchObject({ name: 'WrongMasterKey' });
  });

  it('sign with the older key of URLs until the newer one is used, and check both for ever', async () => {
    const mine = await open();
    const old = mine.keyring.sign('a', 'x');
    await mine.replace(withNewKey(mine.opened.keys, 'url', key), OLD_MASTER);
    expect(mine.keyring.sign('a', 'x')).toBe(old);
    await mine.replace(withNewKeyUsed(mine.opened.keys), OLD_MASTER);
    expect(mine.keyring.sign('a', 'x')).toMatch(/^1-/);
    await mine.replace(withChangeEnded(mine.opened.keys), OLD_MASTER);
    expect([mine.keyring.verify('a', 'x', old), mine.keyring.ids.url.length]).toEqual([true, 2]);
  });
});
