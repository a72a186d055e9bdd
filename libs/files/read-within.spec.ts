import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { tempFolder } from '../../test/support/temp-folder.js';
import { readWithin } from './read-within.js';

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

it('a file that says it is empty is read up to the bound', () => {
  expect(readWithin('/proc/self/stat', 4_096)?.toString()).toMatch(/^\d+ \(/);
  expect(readWithin('/proc/self/stat', 10)).toBeUndefined();
});

it('a folder, a pipe, a device and a socket are refused by name, at once', async () => {
  const [pipe, socket] = [join(folder.path, 'pipe'), join(folder.path, 'socket')];
  execFileSync('mkfifo', [pipe]);
  const server = createServer().listen(socket);
  await once(server, 'listening');
  for (const [path, why] of [
    [folder.path, 'it is a folder'],
    [pipe, 'it is a pipe'],
    [socket, 'it is a socket (ENXIO)'],
    ['/dev/zero', 'it is a device'],
    ['/dev/null', 'it is a device'],
  ] as const) {
    expect(() => readWithin(path, 4)).toThrow(`${path} must be a file that the service can read, but ${why}`);
  }
  server.close();
});

it('a link gives its target, and a missing file an error that names it', () => {
  writeFileSync(file, 'here');
  symlinkSync(file, join(folder.path, 'link'));
  expect(readWithin(join(folder.path, 'link'), 4)?.toString()).toBe('here');
  const nothing = join(folder.path, 'nothing');
  const message = `${nothing} must be a file that the service can read, but it does not exist (ENOENT)`;
  expect(() => readWithin(nothing, 4)).toThrow(expect.objectContaining({ code: 'ENOENT', message }));
});
