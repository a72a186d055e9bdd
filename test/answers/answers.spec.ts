import { beforeAll, describe, expect, it } from '@jest/globals';
import { ANSWERS } from '#http';
import { answerDigests, type AnswerDigests, changedAnswers, readAnswers, type StoredAnswers } from './digests.js';

// What partners were answered is answered again byte for byte: a presenter that changes bytes gets a version.
describe('H6: the version of the answers', () => {
  let stored: StoredAnswers;
  let present: AnswerDigests;

  beforeAll(async () => {
    stored = readAnswers();
    present = await answerDigests(stored.inputs);
  });

  it('changes with every change of their bytes', () => {
    expect(changedAnswers(stored.digests, present)).toEqual([]);
  });

  it('has a stored digest of each answer', () => {
    expect(Object.keys(stored.digests)).toEqual(Array.from({ length: ANSWERS }, (_, index) => `${index + 1}`));
    expect(Object.keys(stored.digests[1] ?? {})).toEqual(Object.keys(present[1] ?? {}));
  });

  it('that was not raised: an error names the answer', () => {
    const other = { ...present, 1: { ...present[1], coupon: 'of other bytes' } };
    expect(changedAnswers(stored.digests, other)).toEqual([
      expect.stringMatching(/^the bytes of coupon in version 1 changed: raise ANSWERS/),
    ]);
  });

  it('is made of rows of each kind', async () => {
    const empty = await answerDigests([]);
    for (const [name, digest] of Object.entries(present[1] ?? {}))
      expect([name, digest]).not.toEqual([name, empty[1]?.[name]]);
  });
});
