import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { KEYS_ENTRY, unwrapKeys } from '#eventsourcing';
import { tempFolder } from '../../test/support/temp-folder.js';
import { BackupFolder } from './backup-folder.js';
import { FileSeal } from './file-seal.js';
import { ReadBackup } from './read-backup.js';

/** A backup that a build has written, each file in base64. */
interface Kept {
  readonly masterKey: string;
  /** A purchase in what follows the last copy. */
  readonly purchase: string;
  readonly files: Readonly<Record<string, string>>;
}

const folder = tempFolder();
afterAll(() => folder.remove());

it.each(['format-1'])('G12.2: a backup of %s is read by every later build', async (name) => {
  const kept = JSON.parse(readFileSync(join('libs/backup/kept', `${name}.json`), 'utf8')) as Kept;
  for (const [path, bytes] of Object.entries(kept.files)) {
    mkdirSync(dirname(join(folder.path, name, path)), { recursive: true });
    writeFileSync(join(folder.path, name, path), Buffer.from(bytes, 'base64'));
  }
  const seal = FileSeal.with(undefined, thisMachine.randomness);
  const backup = await ReadBackup.open(new BackupFolder(join(folder.path, name), seal), undefined);
  const streams: string[] = [];
  for await (const part of backup.eventParts()) streams.push(...part.map(({ stream }) => stream));
  expect(streams).toHaveLength(backup.events);
  expect(streams.slice(0, 36)).toContain('deal-rowing-on-the-charles');
  expect(streams.slice(36)).toContain(`purchase-${kept.purchase}`);
  const kinds = new Set<string>();
  let keys = '';
  for await (const part of backup.keptParts()) {
    for (const line of part) {
      kinds.add(line.kind);
      if (line.kind === 'entry' && line.name === KEYS_ENTRY) keys = line.text;
    }
  }
  expect([...kinds].toSorted()).toEqual(['answer', 'entry', 'key', 'ledger']);
  expect(() => unwrapKeys(keys, Buffer.from(kept.masterKey, 'hex'), name, thisMachine.randomness)).not.toThrow();
});
