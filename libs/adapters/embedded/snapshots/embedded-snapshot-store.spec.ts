import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { snapshotOf, snapshotStoreContract } from '../../../../test/contracts/snapshot-store.contract.js';
import { tempFolder } from '../../../../test/support/temp-folder.js';
import { EmbeddedSnapshotStore } from './embedded-snapshot-store.js';

snapshotStoreContract('embedded', async () => {
  const folder = tempFolder();
  const path = join(folder.path, 'views', 'snapshots');
  return {
    store: new EmbeddedSnapshotStore(path),
    reopen: async () => new EmbeddedSnapshotStore(path),
    dispose: async () => folder.remove(),
  };
});

describe('the files of snapshots', () => {
  let folder: ReturnType<typeof tempFolder>;
  let path: string;
  let store: EmbeddedSnapshotStore;
  beforeEach(() => {
    folder = tempFolder();
    path = join(folder.path, 'snapshots');
    store = new EmbeddedSnapshotStore(path);
  });
  afterEach(() => folder.remove());

  const onlyFile = (): string => join(path, readdirSync(path).join());

  it('are for their owner only', async () => {
    await store.put(snapshotOf('tally-a', 'aa'));
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(onlyFile()).mode & 0o777).toBe(0o600);
  });

  it('may be deleted at any time', async () => {
    const snapshot = snapshotOf('tally-a', 'aa');
    await store.put(snapshot);
    rmSync(path, { recursive: true });
    expect(await store.get(snapshot)).toBeUndefined();
    await store.put(snapshot);
    expect(await store.get(snapshot)).toBeDefined();
  });

  it.each([
    ['cut at each place', (bytes: Buffer, at: number) => bytes.subarray(0, at)],
    ['longer than its parts', (bytes: Buffer, at: number) => Buffer.concat([bytes, Buffer.alloc(at + 1)])],
  ])('hold no snapshot if one is %s', async (_, change) => {
    const snapshot = snapshotOf('tally-a', 'aa');
    await store.put(snapshot);
    const bytes = readFileSync(onlyFile());
    for (let at = 0; at < bytes.length; at++) {
      writeFileSync(onlyFile(), change(bytes, at));
      expect(await store.get(snapshot)).toBeUndefined();
    }
    writeFileSync(onlyFile(), bytes);
    expect(await store.get(snapshot)).toBeDefined();
  });

  it('hold no snapshot of another stream, whatever their name', async () => {
    await store.put(snapshotOf('tally-a', 'aa'));
    const other = snapshotOf('tally-b', 'aa');
    const bytes = readFileSync(onlyFile());
    rmSync(onlyFile());
    await store.put(other);
    writeFileSync(onlyFile(), bytes);
    expect(await store.get(other)).toBeUndefined();
  });

  it('are removed if nobody can read them, or a crash left them unfinished', async () => {
    await store.put(snapshotOf('tally-a', 'aa'));
    await store.put(snapshotOf('tally-b', 'bb'));
    const torn = readdirSync(path).find((name) => name.includes('.bb.')) ?? '';
    truncateSync(join(path, torn), 20);
    writeFileSync(join(path, `${torn}.new`), '{');
    writeFileSync(join(path, 'something'), 'else');
    expect(await store.others(new Set(['aa']), 10)).toEqual([]);
    expect(readdirSync(path)).toEqual([expect.stringContaining('.aa.')]);
  });

  it('leave nothing behind where one cannot be written', async () => {
    const snapshot = snapshotOf('tally-a', 'aa');
    await store.put(snapshot);
    const [file = ''] = readdirSync(path);
    rmSync(join(path, file));
    // A folder takes the place of the file.
    mkdirSync(join(path, file));
    await expect(store.put(snapshot)).rejects.toThrow();
    expect(readdirSync(path)).toEqual([file]);
  });
});
