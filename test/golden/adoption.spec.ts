import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunningDouble } from '../support/running-double.js';
import { discardLeftovers, newDataDir, RunningService } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';
import { readRecording, unpack, unpackDouble } from './recording.js';

const EMBEDDED = 'test/golden/data-00cb634';
const ON_SERVER = 'test/golden/eventstoredb-00cb634';

/** The data files of a folder, with a digest of their content. */
function digests(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^lock\.db|-shm$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.map((file) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')]));
}

/** A golden data folder without these files and their SQLite companions. */
function folderOf(golden: string, ...without: readonly string[]): string {
  const dataDir = newDataDir();
  unpack(golden, dataDir);
  for (const file of readdirSync(dataDir)) {
    if (without.some((each) => file.startsWith(each))) rmSync(join(dataDir, file));
  }
  return dataDir;
}

/** Starts this build on the folder at the time of the recording; expects these words and an unchanged folder. */
async function expectRefused(
  dataDir: string,
  words: RegExp,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const before = digests(dataDir);
  const TEST_TIME = readRecording(EMBEDDED).at;
  const started = RunningService.start({ dataDir, env: { TEST_TIME, ...env } });
  await expect(started).rejects.toThrow(words);
  expect(digests(dataDir)).toEqual(before);
}

/** Starts this build on the folder; expects it to listen and to report these words in its health. */
async function expectFound(dataDir: string, words: RegExp, env: Readonly<Record<string, string>>): Promise<void> {
  const { at } = readRecording(ON_SERVER);
  const service = await RunningService.start({ dataDir, unready: true, env: { TEST_TIME: at, ...env } });
  const health = await service.ask('GET', '/health/ready');
  expect([health.status, health.body.findings.map((finding: { words: string }) => finding.words).join()]).toEqual([
    503,
    expect.stringMatching(words),
  ]);
  await service.kill();
}

afterAll(discardLeftovers);

describe('this build refuses a data folder of an earlier build', () => {
  it('with another master key', async () => {
    const MASTER_KEY = 'f'.repeat(64);
    await expectRefused(folderOf(EMBEDDED), /another MASTER_KEY/, { MASTER_KEY });
  });

  it('without its keys', async () => {
    await expectRefused(folderOf(EMBEDDED, 'state.db'), /state\.db/);
    await expectRefused(folderOf(EMBEDDED, 'state.db', 'master.key'), /state\.db/);
  });

  it('without its log', async () => {
    await expectRefused(folderOf(EMBEDDED, 'events.db'), /events\.db/);
  });

  it('with the keys of another installation', async () => {
    const dataDir = folderOf(EMBEDDED, 'state.db', 'master.key', 'sandbox-gateway');
    const others = folderOf(ON_SERVER, 'sandbox-gateway');
    for (const file of readdirSync(others).filter((each) => /^(state\.db|master\.key)/.test(each))) {
      cpSync(join(others, file), join(dataDir, file));
    }
    await expectRefused(dataDir, /keys/);
  });
});

describe('this build refuses an EventStoreDB log of an earlier build', () => {
  const files = tempFolder();
  const file = join(files.path, 'eventstoredb.log');
  let double: RunningDouble;
  let env: Readonly<Record<string, string>>;
  const written = (): string => readFileSync(file, 'utf8');

  beforeAll(async () => {
    unpackDouble(ON_SERVER, file);
    double = await RunningDouble.start(`--file=${file}`);
    env = { EVENTSTORE_URL: double.url };
  });
  afterAll(async () => {
    await double.kill();
    files.remove();
  });

  it('while EVENTSTORE_PREFIX does not say that the log has no prefix', async () => {
    const before = written();
    await expectRefused(folderOf(ON_SERVER), /set EVENTSTORE_PREFIX= /, env);
    expect(written()).toBe(before);
  });

  it('with the keys of another installation, or with none', async () => {
    const before = written();
    await expectFound(folderOf(EMBEDDED, 'events.db'), /keys/, { ...env, EVENTSTORE_PREFIX: '' });
    await expectRefused(newDataDir(), /keys/, { ...env, EVENTSTORE_PREFIX: '' });
    expect(written()).toBe(before);
  });

  it('when the folder has a log of its own', async () => {
    const before = written();
    await expectRefused(folderOf(EMBEDDED), /EVENTSTORE_URL/, { ...env, EVENTSTORE_PREFIX: '' });
    expect(written()).toBe(before);
  });
});
