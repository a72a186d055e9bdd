import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KeyValueStore } from '#eventsourcing';

/** A store of entries with its data. */
export interface KeyValueStoreSubject {
  readonly store: KeyValueStore;
  /** Closes this one, and opens the same entries as another process would see them. */
  reopen(): Promise<KeyValueStore>;
  /** Closes everything that is open and deletes it. */
  dispose(): Promise<void>;
}

/** What every store of KeyValueStore must do. */
export function keyValueStoreContract(name: string, makeSubject: () => Promise<KeyValueStoreSubject>): void {
  describe(`entries contract: ${name}`, () => {
    let subject: KeyValueStoreSubject;
    let keyValues: KeyValueStore;
    beforeEach(async () => {
      subject = await makeSubject();
      keyValues = subject.store;
    });
    afterEach(() => subject.dispose());

    it('keeps an entry word for word for later readers', async () => {
      const texts = ['a text', '', '{"position":"18446744073709551615"}', 'Zoë 🙂\n', 'x'.repeat(70_000)];
      for (const [index, text] of texts.entries()) expect(await keyValues.insert(`entry-${index}`, text)).toBe(text);
      for (const [index, text] of texts.entries()) expect(await keyValues.get(`entry-${index}`)).toBe(text);
      const reopened = await subject.reopen();
      for (const [index, text] of texts.entries()) expect(await reopened.get(`entry-${index}`)).toBe(text);
    });

    it('has no entry under an unknown name', async () => {
      await keyValues.insert('mark', 'one');
      for (const name of ['mar', 'mark2', 'MARK', '']) expect(await keyValues.get(name)).toBeUndefined();
      expect(await keyValues.replace('mar', 'one', 'two')).toBe(false);
      expect(await keyValues.get('mar')).toBeUndefined();
    });

    // Two processes that create the keys of an installation at once must both use the same ones.
    it('keeps an entry once: one of several rivals wins, and all get its text', async () => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => keyValues.insert('keys', `rival ${index}`)),
      );
      expect(new Set(answers).size).toBe(1);
      expect(await keyValues.get('keys')).toBe(answers[0]);
      const reopened = await subject.reopen();
      expect(await reopened.insert('keys', 'a late one')).toBe(answers[0]);
      expect(await reopened.get('keys')).toBe(answers[0]);
    });

    // An older process must not overwrite a newer process's mark with the mark that it still holds.
    it('replaces an entry only while it is what the caller expects', async () => {
      await keyValues.insert('mark', '1');
      expect(await keyValues.replace('mark', '1', '2')).toBe(true);
      expect(await keyValues.replace('mark', '1', '3')).toBe(false);
      expect(await keyValues.replace('mark', '2', '2')).toBe(true);
      expect(await (await subject.reopen()).get('mark')).toBe('2');
    });

    it('lets one of several rivals replace the same text', async () => {
      await keyValues.insert('mark', '0');
      const done = await Promise.all(
        Array.from({ length: 20 }, (_, index) => keyValues.replace('mark', '0', `${index + 1}`)),
      );
      expect(done.filter((each) => each)).toHaveLength(1);
      expect(await keyValues.get('mark')).toBe(`${done.indexOf(true) + 1}`);
    });
  });
}
