import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Facts } from '#eventsourcing';

/** One store of facts with everything that it keeps. */
export interface FactsSubject {
  readonly store: Facts;
  /** Ends this one, and opens the same facts as another process would find them. */
  reopen(): Promise<Facts>;
  /** Ends whatever is open and removes it. */
  dispose(): Promise<void>;
}

/** What every store of Facts must do. */
export function factsContract(name: string, makeSubject: () => Promise<FactsSubject>): void {
  describe(`facts contract: ${name}`, () => {
    let subject: FactsSubject;
    let facts: Facts;
    beforeEach(async () => {
      subject = await makeSubject();
      facts = subject.store;
    });
    afterEach(() => subject.dispose());

    it('a fact is there, word for word, for whoever comes later', async () => {
      const texts = ['a text', '', '{"position":"18446744073709551615"}', 'Zoë 🙂\n', 'x'.repeat(70_000)];
      for (const [index, text] of texts.entries()) expect(await facts.insert(`fact-${index}`, text)).toBe(text);
      for (const [index, text] of texts.entries()) expect(await facts.get(`fact-${index}`)).toBe(text);
      const reopened = await subject.reopen();
      for (const [index, text] of texts.entries()) expect(await reopened.get(`fact-${index}`)).toBe(text);
    });

    it('there is none under an unknown name', async () => {
      await facts.insert('mark', 'one');
      for (const name of ['mar', 'mark2', 'MARK', '']) expect(await facts.get(name)).toBeUndefined();
      expect(await facts.replace('mar', 'one', 'two')).toBe(false);
      expect(await facts.get('mar')).toBeUndefined();
    });

    // Two processes that make the keys of an installation at once must go on with the same ones.
    it('is kept once: of rivals one wins, and all get its text', async () => {
      const told = await Promise.all(Array.from({ length: 40 }, (_, index) => facts.insert('keys', `rival ${index}`)));
      expect(new Set(told).size).toBe(1);
      expect(await facts.get('keys')).toBe(told[0]);
      const reopened = await subject.reopen();
      expect(await reopened.insert('keys', 'a late one')).toBe(told[0]);
      expect(await reopened.get('keys')).toBe(told[0]);
    });

    // A mark that an older process still holds must not go over a newer one's.
    it('is replaced only while it is still what the caller knows', async () => {
      await facts.insert('mark', '1');
      expect(await facts.replace('mark', '1', '2')).toBe(true);
      expect(await facts.replace('mark', '1', '3')).toBe(false);
      expect(await facts.replace('mark', '2', '2')).toBe(true);
      expect(await (await subject.reopen()).get('mark')).toBe('2');
    });

    it('of rivals that replace the same text one succeeds', async () => {
      await facts.insert('mark', '0');
      const done = await Promise.all(
        Array.from({ length: 20 }, (_, index) => facts.replace('mark', '0', `${index + 1}`)),
      );
      expect(done.filter((each) => each)).toHaveLength(1);
      expect(await facts.get('mark')).toBe(`${done.indexOf(true) + 1}`);
    });
  });
}
