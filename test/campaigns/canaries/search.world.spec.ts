import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findIn, findInFolder, formsOf } from '../../support/canaries.js';
import { discardLeftovers, newDataDir } from '../../support/running-service.js';

const CANARY = 'canary-Ünique~ÿ?@example.org';
const canaries = { email: CANARY };

/** The canary among other bytes, this many before it and this many after it. */
const among = (before: number, behind: number): Buffer =>
  Buffer.concat([Buffer.alloc(before, 0xa5), Buffer.from(CANARY), Buffer.alloc(behind, 0x5a)]);

describe('the search for canaries', () => {
  let folder: string;
  beforeAll(() => {
    folder = newDataDir();
  });
  afterAll(discardLeftovers);

  it.each([
    ['as it is', (bytes: Buffer) => bytes],
    ['in hexadecimal', (bytes: Buffer) => Buffer.from(bytes.toString('hex'))],
    ['in hexadecimal capitals', (bytes: Buffer) => Buffer.from(bytes.toString('hex').toUpperCase())],
    ['in base64', (bytes: Buffer) => Buffer.from(bytes.toString('base64'))],
    ['in base64 for URLs', (bytes: Buffer) => Buffer.from(bytes.toString('base64url'))],
  ])('finds one that was planted %s, at any place', (_, encode) => {
    for (let before = 0; before < 7; before += 1) {
      for (let behind = 0; behind < 4; behind += 1) {
        expect(findIn('file', encode(among(before, behind)), canaries)).not.toEqual([]);
      }
    }
  });

  it.each(['', ' 漢字'])('finds one that was serialized, before "%s"', (after) => {
    expect(findIn('file', serialize({ text: `before ${CANARY}${after}` }), canaries)).toHaveLength(1);
    expect(findIn('file', serialize({ text: `none${after}` }), canaries)).toEqual([]);
  });

  it('finds it in a file of a subfolder, and names the place', () => {
    mkdirSync(join(folder, 'within'));
    writeFileSync(join(folder, 'within', 'some.db-wal'), Buffer.from(among(1, 1).toString('base64')));
    writeFileSync(join(folder, 'innocent'), 'canary-nique@example.org');
    expect(findInFolder(folder, canaries)).toEqual([
      expect.objectContaining({ canary: 'email', place: 'within/some.db-wal', form: 'base64+1' }),
    ]);
  });

  it('ignores forms so short that they appear by chance', () => {
    for (const form of formsOf('2001-02-03').values()) expect(form.length).toBeGreaterThanOrEqual(10);
  });
});
