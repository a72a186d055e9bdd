import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KeyStore } from '#eventsourcing';

/** A store with its data. */
export interface KeyStoreSubject {
  readonly store: KeyStore;
  /** Closes this one, and opens the same keys as another process would see them. */
  reopen(): Promise<KeyStore>;
  /** Closes everything that is open and deletes it. */
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

    // AES-256 takes 32 bytes; a shared key would erase two people at once.
    it('makes a separate 32-byte key for each person', async () => {
      const [ann, bob] = [await store.obtain('ann'), await store.obtain('bob')];
      expect(ann).toHaveLength(32);
      expect(bob).toHaveLength(32);
      expect(ann?.equals(bob ?? Buffer.alloc(0))).toBe(false);
      expect(await store.obtain('ann')).toEqual(ann);
      expect(await store.get('ann')).toEqual(ann);
    });

    // If reads created keys, anyone's lookup could fill the store and bring erased people back.
    it('creates no key in get', async () => {
      expect(await store.get('nobody')).toBeUndefined();
      expect(await (await subject.reopen()).get('nobody')).toBeUndefined();
    });

    // If the log knows a person whom the key store does not know, the key store is an older copy.
    it('knows every person who ever had a key, even a destroyed one', async () => {
      await Promise.all(['ann', 'bob'].map((person) => store.obtain(person)));
      await store.destroy('bob');
      const known = (keys: KeyStore) => Promise.all(['ann', 'bob', 'cat'].map((person) => keys.knows(person)));
      expect(await known(store)).toEqual([true, true, false]);
      expect(await known(await subject.reopen())).toEqual([true, true, false]);
    });

    // Two first commands for one person at the same time: with two keys, nobody could open what one of them sealed.
    it('gives one stored key to all rivals for one new person', async () => {
      const keys = await Promise.all(Array.from({ length: 50 }, () => store.obtain('ann')));
      expect(new Set(keys.map((key) => key?.toString('hex'))).size).toBe(1);
      expect(await (await subject.reopen()).get('ann')).toEqual(keys[0]);
    });

    // A restart that loses a key erases the person whose events it sealed.
    it('has an obtained key after a restart', async () => {
      const people = Array.from({ length: 200 }, (_, index) => `person-${index}`);
      const keys = await Promise.all(people.map((person) => store.obtain(person)));
      const reopened = await subject.reopen();
      expect(await Promise.all(people.map((person) => reopened.get(person)))).toEqual(keys);
      expect(await reopened.obtain('person-7')).toEqual(keys[7]);
    });

    // Erasing is final: a new key would let the person's data grow again under the same id.
    it('G12: a destroyed key stays destroyed, even after a restart', async () => {
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

    // The erasing command may run twice, or for a person whose data nobody has sealed yet.
    it('G12: destroying a key again, or one of an unknown person, has the same result', async () => {
      await store.obtain('ann');
      await Promise.all([store.destroy('ann'), store.destroy('ann')]);
      await store.destroy('ann');
      await store.destroy('stranger');
      expect(await store.obtain('ann')).toBeUndefined();
      expect(await store.obtain('stranger')).toBeUndefined();
      expect(await (await subject.reopen()).obtain('stranger')).toBeUndefined();
    });

    // A read during the destruction must not put the key back into a cache, and an obtain right after must not make a new key.
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

    // A restored copy finds the persons of erasures by their hashes.
    it('G12.1: lists everybody who ever had a key, in pages', async () => {
      const people = Array.from({ length: 7 }, (_, index) => `person ${index}`);
      for (const person of people) await store.obtain(person);
      await store.destroy('person 3');
      await store.destroy('stranger');
      const pages: (readonly string[])[] = [];
      for await (const page of (await subject.reopen()).persons(4)) pages.push(page);
      expect(pages.map(({ length }) => length)).toEqual([4, 4]);
      expect(pages.flat().toSorted()).toEqual([...people, 'stranger']);
    });

    // Ids come from other systems as well.
    it("takes any text as a person's id", async () => {
      const people = ["o'neil", 'a"b', 'x'.repeat(500), 'Zoë 🙂', 'a:b', ' ', 'ANN', 'ann'];
      const keys = await Promise.all(people.map((person) => store.obtain(person)));
      expect(new Set(keys.map((key) => key?.toString('hex'))).size).toBe(people.length);
      const reopened = await subject.reopen();
      expect(await Promise.all(people.map((person) => reopened.get(person)))).toEqual(keys);
    });
  });
}
