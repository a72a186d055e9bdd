import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Facts } from '#eventsourcing';

/** A store of facts with its data. */
export interface FactsSubject {
  readonly store: Facts;
  /** Closes this one, and opens the same facts as another process would see them. */
  reopen(): Promise<Facts>;
  /** Closes everything that is open and deletes it. */
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

    it('keeps a fact word for word for later readers', async () => {
      const texts = ['a text', '', '{"position":"18446744073709551615"}', 'Zoë 🙂\n', 'x'.repeat(70_000)];
      for (const [index, text] of texts.entries()) expect(await facts.insert(`fact-${index}`, text)).toBe(text);
      for (const [index, text] of texts.entries()) expect(await facts.get(`fact-${index}`)).toBe(text);
      const reopened = await subject.reopen();
      for (const [index, text] of texts.entries()) expect(await reopened.get(`fact-${index}`)).toBe(text);
    });

    it('has no fact under an unknown name', async () => {
      await facts.insert('mark', 'one');
      for (const name of ['mar', 'mark2', 'MARK', '']) expect(await facts.get(name)).toBeUndefined();
      expect(await facts.replace('mar', 'one', 'two')).toBe(false);
      expect(await facts.get('mar')).toBeUndefined();
    });

    // Two processes that create the keys of an installation at once must both use the same ones.
    it('keeps a fact once: one of several rivals wins, and all get its text', async () => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => facts.insert('keys', `rival ${index}`)),
      );
      expect(new Set(answers).size).toBe(1);
      expect(await facts.get('keys')).toBe(answers[0]);
      const reopened = await subject.reopen();
      expect(await reopened.insert('keys', 'a late one')).toBe(answers[0]);
      expect(await reopened.get('keys')).toBe(answers[0]);
    });

    // An older process must not overwrite a newer process's mark with the mark that it still holds.
    it('replaces a fact only while it is what the caller expects', async () => {
      await facts.insert('mark', '1');
      expect(await facts.replace('mark', '1', '2')).toBe(true);
      expect(await facts.replace('mark', '1', '3')).toBe(false);
      expect(await facts.replace('mark', '2', '2')).toBe(true);
      expect(await (await subject.reopen()).get('mark')).toBe('2');
    });

    it('lets one of several rivals replace the same text', async () => {
      await facts.insert('mark', '0');
      const done = await Promise.all(
        Array.from({ length: 20 }, (_, index) => facts.replace('mark', '0', `${index + 1}`)),
      );
      expect(done.filter((each) => each)).toHaveLength(1);
      expect(await facts.get('mark')).toBe(`${done.indexOf(true) + 1}`);
    });
  });
}
