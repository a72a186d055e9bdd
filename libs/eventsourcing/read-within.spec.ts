import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { readWithin } from '#eventsourcing/ports';
import { tempFolder } from '../../test/support/temp-folder.js';

const folder = tempFolder();
afterAll(() => folder.remove());
const file = join(folder.path, 'file');

it.each([0, 1, 65_535, 65_536, 65_537, 200_000])('a file of %i bytes within the bound is read as a whole', (size) => {
  const content = Buffer.from(Array.from({ length: size }, (_, at) => at % 251));
  writeFileSync(file, content);
  expect(readWithin(file, size)).toEqual(content);
  expect(readWithin(file, size + 100_000)).toEqual(content);
  if (size > 0) expect(readWithin(file, size - 1)).toBeUndefined();
});

it('a file that is far too large is not read', () => {
  writeFileSync(file, '');
  truncateSync(file, 2 ** 40);
  expect(readWithin(file, 2 ** 33)).toBeUndefined();
});

it('a file without a size is read up to the bound', () => {
  expect(readWithin('/dev/zero', 100_000)).toBeUndefined();
  expect(readWithin('/dev/null', 1)).toEqual(Buffer.alloc(0));
  expect(readWithin('/proc/self/stat', 4_096)?.toString()).toMatch(/^\d+ \(/);
});

it('a link gives its target, and an unreadable file an error', () => {
  writeFileSync(file, 'here');
  symlinkSync(file, join(folder.path, 'link'));
  expect(readWithin(join(folder.path, 'link'), 4)?.toString()).toBe('here');
  for (const [path, code] of [
    [join(folder.path, 'nothing'), 'ENOENT'],
    [folder.path, 'EISDIR'],
  ] as const) {
    expect(() => readWithin(path, 4)).toThrow(expect.objectContaining({ code }));
  }
});
