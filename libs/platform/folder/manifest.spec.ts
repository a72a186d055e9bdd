import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { FILES } from '#kernel/bounds';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { MANIFEST_FILE, readManifest, writeManifest } from './manifest.js';

let folder: ReturnType<typeof tempFolder>;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => folder.remove());

it('a manifest is read as it was written, and one that is too large counts as damaged', () => {
  const manifest = { installation: 'i', log: 'l', ledger: null, starts: 1, files: ['events.db'], at: '/data' };
  writeManifest(folder.path, manifest);
  expect(readManifest(folder.path)).toMatchObject(manifest);
  const file = join(folder.path, MANIFEST_FILE);
  for (const size of [FILES.manifest + 1, 2 ** 33]) {
    truncateSync(file, size);
    expect(() => readManifest(folder.path)).toThrow(`${file} is damaged: put it back`);
  }
  writeFileSync(file, '');
  expect(() => readManifest(folder.path)).toThrow('is damaged');
});
