import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createSecretFile, writeSecretFile } from './secret-file.js';
import { thisMachine } from '#adapters/machine';
import { tempFolder } from '../../../test/support/temp-folder.js';

describe('G1: files that only their owner can read', () => {
  let folder: ReturnType<typeof tempFolder>;
  beforeEach(() => {
    folder = tempFolder();
  });
  afterEach(() => folder.remove());

  const file = (): string => join(folder.path, 'operator.token');
  const there = (): readonly unknown[] => [readFileSync(file(), 'utf8'), statSync(file()).mode & 0o777];

  it('are replaced as a whole', () => {
    writeSecretFile(file(), 'one');
    writeSecretFile(file(), 'two');
    expect([...there(), readdirSync(folder.path)]).toEqual(['two', 0o600, ['operator.token']]);
  });

  // All APIs that share the folder must get the token of the first one.
  it('are made once, by the first process', () => {
    createSecretFile(file(), 'one', thisMachine.randomness);
    createSecretFile(file(), 'two', thisMachine.randomness);
    expect([...there(), readdirSync(folder.path)]).toEqual(['one', 0o600, ['operator.token']]);
  });
});
