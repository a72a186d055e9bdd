import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { loadMasterKey } from '#eventsourcing';

describe('master key', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'master-'));
    file = join(folder, 'master.key');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is made at the first use, for its owner only, and stays the same', () => {
    const key = loadMasterKey({ file, randomness: thisMachine.randomness });
    expect(key).toHaveLength(32);
    expect(loadMasterKey({ file, randomness: thisMachine.randomness })).toEqual(key);
    expect(readFileSync(file, 'utf8')).toBe(`${key.toString('hex')}\n`);
    expect(readdirSync(folder)).toEqual(['master.key']);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(loadMasterKey({ file: join(folder, 'other.key'), randomness: thisMachine.randomness })).not.toEqual(key);
  });

  // A new key beside data that the lost one sealed would look right, and get into the next backup.
  it('is not made if it must exist: the error says what to restore, and nothing is written', () => {
    expect(() => loadMasterKey({ file, mustExist: true, randomness: thisMachine.randomness })).toThrow(
      `${file} is missing, and MASTER_KEY is not set`,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('replaces a half written file that a crash left beside it, whoever could read it', () => {
    writeFileSync(`${file}.tmp`, 'ab', { mode: 0o644 });
    loadMasterKey({ file, randomness: thisMachine.randomness });
    expect(readdirSync(folder)).toEqual(['master.key']);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('of the environment comes before the file, as hexadecimal or base64, and makes no file', () => {
    const key = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 8));
    for (const text of [key.toString('hex'), key.toString('hex').toUpperCase(), `${key.toString('base64')}\n`]) {
      expect(loadMasterKey({ fromEnvironment: text, file, randomness: thisMachine.randomness })).toEqual(key);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('in the environment is named if it is wrong, and never shown', () => {
    for (const wrong of ['', 'secret-canary', 'a'.repeat(63), 'a'.repeat(65), Buffer.alloc(31, 1).toString('base64')]) {
      let message = '';
      try {
        loadMasterKey({ fromEnvironment: wrong, file, randomness: thisMachine.randomness });
      } catch (error) {
        message = String(error);
      }
      expect(message).toMatch(/MASTER_KEY must be 64 hexadecimal characters or the base64 of 32 bytes/);
      expect(message).not.toContain('canary');
    }
  });

  it('is refused if the file has other content, and the file stays as it is', () => {
    for (const wrong of ['', 'secret-canary', 'ab'.repeat(31), `${'ab'.repeat(32)}${' '.repeat(5_000)}`]) {
      writeFileSync(file, wrong);
      expect(() => loadMasterKey({ file, randomness: thisMachine.randomness })).toThrow(/does not hold a master key/);
      expect(readFileSync(file, 'utf8')).toBe(wrong);
    }
  });
});
