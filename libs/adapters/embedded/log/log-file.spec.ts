import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedLog, EmbeddedLogReader } from '#adapters/embedded';
import { LogUnusable } from '#eventsourcing';
import type { Append } from '#eventsourcing';

const PAGE = 4096;

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-log-'));
  file = join(dir, 'log.db');
});

afterEach(() => rmSync(dir, { recursive: true }));

/** A log of 300 events with a kilobyte each, about a hundred pages. */
async function makeLog(): Promise<void> {
  const metadata = { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'system:test' };
  const log = await EmbeddedLog.open({ file });
  for (let from = 0; from < 300; from += 100) {
    const events = Array.from({ length: 100 }, (_, index) => ({
      id: 'id',
      type: 'happened.v1',
      data: { number: from + index, text: 'x'.repeat(1_000) },
      metadata,
    }));
    await log.append([{ stream: 'deal-1', expected: from - 1, events } satisfies Append]);
  }
  await log.close();
}

async function refusal(): Promise<string> {
  const error = await EmbeddedLog.open({ file }).then(
    (log) => log.close(),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LogUnusable);
  const { message } = error as LogUnusable;
  expect(message).toContain(file);
  return message;
}

function change(sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

function overwrite(at: number, bytes: Buffer): void {
  const content = readFileSync(file);
  bytes.copy(content, at);
  writeFileSync(file, content);
}

describe('a file that cannot be the event log', () => {
  it('is not changed if it is no database', async () => {
    const content = 'these are not the events that you are looking for\n'.repeat(100);
    writeFileSync(file, content);
    expect(await refusal()).toContain('is not an SQLite database');
    expect(readFileSync(file, 'utf8')).toBe(content);
  });

  // An emptied log must not become a new one.
  it('is refused when it is empty', async () => {
    writeFileSync(file, '');
    expect(await refusal()).toContain('is not an SQLite database');
    expect(statSync(file).size).toBe(0);
  });

  it.each(['', 'PRAGMA application_id=1; '])('is not changed if another program made it (%s)', async (mark) => {
    change(`${mark}CREATE TABLE events (position INTEGER PRIMARY KEY)`);
    const before = readFileSync(file);
    expect(await refusal()).toContain('is the database of another program');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it.each([1, 3, 5])('G9: of another build (format %d) is refused by name, and not changed', async (format) => {
    await makeLog();
    change(`PRAGMA user_version=${format}`);
    const before = readFileSync(file);
    expect(await refusal()).toContain(
      `${file} was written by another build of Holdfast: it has the format ${format}, and this build knows only 4`,
    );
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('has an owner once one is named, if nobody was quicker', async () => {
    await makeLog();
    const log = await EmbeddedLog.open({ file });
    expect((await log.record()).owner).toBeUndefined();
    const owner = { installation: 'one', keys: 'k' };
    const named = { ...owner, ledger: 'l' };
    expect(await log.own({ ...owner, keys: 'other' }, owner)).toBe(false);
    expect(await log.own(undefined, owner)).toBe(true);
    expect(await log.own(named, owner)).toBe(false);
    expect(await log.own(owner, named)).toBe(true);
    expect(await log.own(owner, named)).toBe(false);
    await log.close();
    const again = await EmbeddedLog.open({ file });
    expect(await again.record()).toEqual({ identity: log.identity, owner: named });
    await again.close();
  });

  it('is refused if only its WAL exists', async () => {
    writeFileSync(`${file}-wal`, 'x'.repeat(PAGE));
    expect(await refusal()).toContain('is missing');
  });

  it('is refused when its folder is missing', async () => {
    file = join(dir, 'nowhere', 'log.db');
    expect(await refusal()).toContain('cannot be created');
  });
});

describe('a damaged event log', () => {
  it.each<[string, () => void, string]>([
    ['its header is gone', () => overwrite(0, Buffer.alloc(100)), 'its beginning is damaged'],
    ['its schema is gone', () => overwrite(100, Buffer.alloc(PAGE - 100, 0xff)), 'is damaged'],
    ['its table is gone', () => change('DROP TABLE events'), 'no such table: events'],
    ['its identity is gone', () => change('DELETE FROM meta'), 'its identity is missing'],
    ['its end is cut off', () => truncateSync(file, statSync(file).size - 3 * PAGE), 'its end is cut off'],
    [
      'its end is overwritten',
      () => overwrite(statSync(file).size - 20 * PAGE, Buffer.alloc(20 * PAGE, 0xff)),
      'is damaged',
    ],
    ['its last event is unreadable', () => change("UPDATE events SET data = '{' WHERE position = 300"), 'JSON'],
    ['it lacks a column', () => change('ALTER TABLE events DROP COLUMN actor'), 'no column named actor'],
  ])('is refused at the start: %s', async (_, damage, words) => {
    await makeLog();
    damage();
    const message = await refusal();
    expect(message).toContain(words);
    expect(message).toMatch(/from (a|the same) backup/);
  });

  it('is reported if a read finds the damage later', async () => {
    await makeLog();
    overwrite(30 * PAGE, Buffer.alloc(10 * PAGE, 0xff));
    const log = await EmbeddedLog.open({ file });
    await expect(log.readStream('deal-1', 0, 1_000)).rejects.toThrow(`the event log ${file} is damaged`);
    const batches = log.subscribe(0n, 1_000, new AbortController().signal)[Symbol.asyncIterator]();
    await expect(batches.next()).rejects.toThrow('restore the data folder from a backup');
    expect(await log.readStream('deal-1', 299, 1)).toHaveLength(1);
    await log.close();
  });

  it('is reported by a reader, too', () => {
    writeFileSync(file, 'no database');
    expect(() => EmbeddedLogReader.open(file)).toThrow(LogUnusable);
  });
});
