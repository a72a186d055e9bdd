import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KeyStore } from '#eventsourcing';

/** One store with everything that it has stored. */
export interface KeyStoreSubject {
  readonly store: KeyStore;
  /** Ends this one, and opens the same keys as another process would find them. */
  reopen(): Promise<KeyStore>;
  /** Ends whatever is open and removes it. */
  dispose(): Promise<void>;
}

/** What every KeyStore must do. */
export function keyStoreContract(name: string, makeSubject: () => Promise<KeyStoreSubject>): void {
  describe(`key store contract: ${name}`, () => {
    let subject: KeyStoreSubject;
    let store: KeyStore;
    beforeEach(async () => {
      subject = await makeSubject();
      store = subject.store;
    });
    afterEach(() => subject.dispose());

    // AES-256 takes 32 bytes; a shared key would erase two persons at once.
    it('makes each person a 32-byte key of his own', async () => {
      const [ann, bob] = [await store.obtain('ann'), await store.obtain('bob')];
      expect(ann).toHaveLength(32);
      expect(bob).toHaveLength(32);
      expect(ann?.equals(bob ?? Buffer.alloc(0))).toBe(false);
      expect(await store.obtain('ann')).toEqual(ann);
      expect(await store.get('ann')).toEqual(ann);
    });

    // A read that made keys would let anyone's lookup fill the store, and bring erased persons back.
    it('get never makes a key', async () => {
      expect(await store.get('nobody')).toBeUndefined();
      expect(await (await subject.reopen()).get('nobody')).toBeUndefined();
    });

    // Who is not known to a key store that the log knows them by was made after it: then it is an older copy.
    it('knows whoever ever had a key, also when that is destroyed', async () => {
      await Promise.all(['ann', 'bob'].map((person) => store.obtain(person)));
      await store.destroy('bob');
      const known = (keys: KeyStore) => Promise.all(['ann', 'bob', 'cat'].map((person) => keys.knows(person)));
      expect(await known(store)).toEqual([true, true, false]);
      expect(await known(await subject.reopen())).toEqual([true, true, false]);
    });

    // Two first commands of one person at the same time: with two keys, what one of them sealed could never be opened.
    it('rivals for one new person get one key, and that one is stored', async () => {
      const keys = await Promise.all(Array.from({ length: 50 }, () => store.obtain('ann')));
      expect(new Set(keys.map((key) => key?.toString('hex'))).size).toBe(1);
      expect(await (await subject.reopen()).get('ann')).toEqual(keys[0]);
    });

    // An event sealed under a key that a restart loses is an erased person.
    it('an obtained key is there after a restart', async () => {
      const people = Array.from({ length: 200 }, (_, index) => `person-${index}`);
      const keys = await Promise.all(people.map((person) => store.obtain(person)));
      const reopened = await subject.reopen();
      expect(await Promise.all(people.map((person) => reopened.get(person)))).toEqual(keys);
      expect(await reopened.obtain('person-7')).toEqual(keys[7]);
    });

    // Erasing means for ever: a new key would let the person's data grow again under the same id.
    it('G12: a destroyed key stays destroyed, also after a restart', async () => {
      await store.obtain('ann');
      const bob = await store.obtain('bob');
      await store.destroy('ann');
      expect(await store.get('ann')).toBeUndefined();
      expect(await store.obtain('ann')).toBeUndefined();
      const reopened = await subject.reopen();
      expect(await reopened.get('ann')).toBeUndefined();
      expect(await reopened.obtain('ann')).toBeUndefined();
      expect(await reopened.get('bob')).toEqual(bob);
    });

    // The erasing command may run twice, and for somebody of whom nothing was sealed yet but still could be.
    it('G12: destroying again, or an unknown person, is the same', async () => {
      await store.obtain('ann');
      await Promise.all([store.destroy('ann'), store.destroy('ann')]);
      await store.destroy('ann');
      await store.destroy('stranger');
      expect(await store.obtain('ann')).toBeUndefined();
      expect(await store.obtain('stranger')).toBeUndefined();
      expect(await (await subject.reopen()).obtain('stranger')).toBeUndefined();
    });

    // A read under way while the key is destroyed must not put it back into a cache; nor does one right after make another.
    it('G12: reads that race with the destruction leave nothing behind', async () => {
      await Promise.all([store.obtain('ann'), store.obtain('bob')]);
      store = await subject.reopen();
      const before = Array.from({ length: 5 }, () => store.get('ann'));
      await Promise.all([store.destroy('ann'), ...before]);
      expect(await store.get('ann')).toBeUndefined();
      const destroyed = store.destroy('bob');
      const after = Array.from({ length: 5 }, () => store.obtain('bob'));
      await Promise.all([destroyed, ...after]);
      expect(await store.obtain('bob')).toBeUndefined();
    });

    // Ids come from other systems as well.
    it('takes any text for a person', async () => {
      const people = ["o'neil", 'a"b', 'x'.repeat(500), 'Zoë 🙂', 'a:b', ' ', 'ANN', 'ann'];
      const keys = await Promise.all(people.map((person) => store.obtain(person)));
      expect(new Set(keys.map((key) => key?.toString('hex'))).size).toBe(people.length);
      const reopened = await subject.reopen();
      expect(await Promise.all(people.map((person) => reopened.get(person)))).toEqual(keys);
    });
  });
}
