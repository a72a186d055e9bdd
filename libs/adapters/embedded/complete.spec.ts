import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { openReadOnly } from './open-read-only.js';
import { assertComplete, IncompleteDatabase } from './complete.js';

/** The files of a killed process: copies of an open database's files. */
describe.each([512, 4_096, 65_536])('a SQLite file with its WAL, in pages of %i bytes', (pageSize) => {
  const made = tempFolder();
  const folder = tempFolder();
  const source = join(made.path, 'source');
  const file = join(folder.path, 'a.db');
  const WAL = `${file}-wal`;
  const row = 'x'.repeat(700);

  beforeAll(() => {
    const database = new DatabaseSync(source);
    database.exec(
      `PRAGMA page_size=${pageSize}; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t (n INTEGER, a TEXT)`,
    );
    const insert = database.prepare('INSERT INTO t VALUES (?, ?)');
    const add = (from: number, count: number): void => {
      for (let n = from; n < from + count; n += 1) insert.run(n, row);
    };
    add(0, 400);
    // Most of the file is in none of the frames that follow.
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    add(400, 400);
    for (const suffix of ['', '-wal', '-shm']) copyFileSync(source + suffix, `${join(made.path, 'killed')}${suffix}`);
    // Some of them are in the file as well.
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    add(800, 5);
    for (const suffix of ['', '-wal', '-shm']) copyFileSync(source + suffix, `${join(made.path, 'copied')}${suffix}`);
    database.close();
    copyFileSync(source, join(made.path, 'closed'));
  });
  beforeEach(() => put('killed'));
  afterAll(() => {
    made.remove();
    folder.remove();
  });

  function put(name: string): void {
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(file + suffix, { force: true });
      const from = `${join(made.path, name)}${suffix}`;
      if (existsSync(from)) copyFileSync(from, file + suffix);
    }
  }
  const half = (path: string): void => truncateSync(path, statSync(path).size >> 1);
  const rows = (): number => {
    const looked = openReadOnly(file);
    const { n } = looked.database.prepare('SELECT count(*) AS n FROM t').get() as { n: number };
    looked.close();
    return n;
  };

  it.each([
    ['killed', 800],
    ['copied', 805],
    ['closed', 805],
  ])('is complete as it was left: %s', (name, there) => {
    put(name);
    expect(rows()).toBe(there);
  });

  it.each(['killed', 'copied', 'closed'])('is incomplete after the file is cut to half: %s', (name) => {
    put(name);
    half(file);
    expect(() => assertComplete(file)).toThrow('its end is cut off');
    expect(() => openReadOnly(file)).toThrow(IncompleteDatabase);
  });

  it('is incomplete after its WAL is cut to half, if the shared index exists', () => {
    half(WAL);
    expect(() => assertComplete(file)).toThrow(`the end of ${WAL} is cut off`);
  });

  it('is an older one after its WAL is cut to half, without a shared index', () => {
    half(WAL);
    rmSync(`${file}-shm`);
    expect(rows()).toBeGreaterThan(400);
    expect(rows()).toBeLessThan(800);
  });

  it('is complete while a page that is being copied from the WAL is cut, because the WAL has it', () => {
    const old = statSync(file).size;
    put('copied');
    copyFileSync(`${join(made.path, 'killed')}-wal`, WAL);
    truncateSync(file, old + pageSize + 10);
    rmSync(`${file}-shm`);
    expect(rows()).toBe(800);
  });

  it('without its WAL is as old as its file', () => {
    rmSync(WAL);
    rmSync(`${file}-shm`);
    expect(rows()).toBe(400);
  });

  it('is not changed', () => {
    half(file);
    const before = ['', '-wal', '-shm'].map((suffix) => readFileSync(file + suffix).toString('base64'));
    expect(() => openReadOnly(file)).toThrow(IncompleteDatabase);
    expect(['', '-wal', '-shm'].map((suffix) => readFileSync(file + suffix).toString('base64'))).toEqual(before);
  });

  it('of another database is incomplete with this WAL', () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix);
    const other = new DatabaseSync(file);
    other.exec(`PRAGMA page_size=${pageSize}; PRAGMA journal_mode=WAL; CREATE TABLE t (n INTEGER, a TEXT)`);
    other.close();
    writeFileSync(WAL, readFileSync(`${join(made.path, 'killed')}-wal`));
    expect(() => openReadOnly(file)).toThrow(IncompleteDatabase);
  });
});
