import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { thisMachine } from '#adapters/machine';
import { KEYS_ENTRY, loadMasterKey, unwrapKeys, type Keyring } from '#eventsourcing';
import { sharedEngines, sharedViewsOf } from './cluster.js';
import type { RunningService } from './running-service.js';
import { tempFolder } from './temp-folder.js';

/** The keys of a service that runs: they sign the links that only mails have. */
export async function keyringOf({ dataDir }: Pick<RunningService, 'dataDir'>): Promise<Keyring> {
  const { randomness } = thisMachine;
  const master = loadMasterKey({ file: join(dataDir, 'master.key'), mustExist: true, randomness });
  return unwrapKeys(await keysOf(dataDir), master, dataDir, randomness);
}

async function keysOf(dataDir: string): Promise<string> {
  const engines = sharedEngines();
  const url = engines && sharedViewsOf(dataDir, engines);
  if (url !== undefined) {
    const { MongoClient } = await import('mongodb');
    const client = await MongoClient.connect(url);
    const found = await client.db().collection<{ _id: string; text: string }>('facts').findOne({ _id: KEYS_ENTRY });
    await client.close();
    return found?.text ?? '';
  }
  // The service has the file to itself: a copy of it and of its WAL can be opened.
  const folder = tempFolder();
  for (const name of ['state.db', 'state.db-wal']) {
    if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(folder.path, name));
  }
  const database = new DatabaseSync(join(folder.path, 'state.db'));
  const row = database.prepare('SELECT value FROM facts WHERE name = ?').get(KEYS_ENTRY);
  database.close();
  folder.remove();
  return String(row?.['value']);
}
