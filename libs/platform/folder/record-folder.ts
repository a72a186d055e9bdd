import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { changeEntry, type KeyValueStore, type Machine, type Time } from '#eventsourcing';
import { INSTALLATION_ENTRY, LEDGER_ENTRY } from '#ownership';
import type { LedgerHere } from '#purchasing/ports';
import { stateEngineOf } from '../engines/state-engines.js';
import { logEngineOf } from '../engines/log-engines.js';
import { FOLDER_ENTRY, parseStarts } from './folder-entries.js';
import { EVENTS_FILE, type FolderSettings, KEY_FILE, LEDGER_FILE, STATE_FILE } from './inspected-folder.js';
import { placeOf } from './copied.js';
import { type Manifest, writeManifest } from './manifest.js';

/** How often the service saves the end of the ledger if it has changed, in milliseconds. */
const EVERY = 1_000;

/** A folder that a service works on. */
export interface RecordedFolder {
  /** Saves the last changes. */
  close(): Promise<void>;
}

/**
 * Records in the key store and in the manifest what belongs together from this start on. The key store comes first: so a start
 * that breaks off in between does not look like an older copy of one of them.
 * @param before the manifest that the survey found
 */
export async function recordFolder(
  settings: FolderSettings,
  before: Manifest | undefined,
  {
    keyValues,
    log,
    ledger,
  }: { readonly keyValues: KeyValueStore; readonly log: string; readonly ledger: LedgerHere | undefined },
  machine: Machine,
): Promise<RecordedFolder> {
  const { dataDir, masterKey } = settings;
  const installation = await keyValues.insert(INSTALLATION_ENTRY, machine.randomness.uuid());
  const known = parseStarts(await keyValues.get(FOLDER_ENTRY));
  const starts = Math.max(known.starts, before?.starts ?? 0) + 1;
  if (ledger !== undefined) await changeEntry(keyValues, LEDGER_ENTRY, () => JSON.stringify(ledger.mark));
  await changeEntry(keyValues, FOLDER_ENTRY, () => JSON.stringify({ starts, settled: false }));
  const here = [
    ...(logEngineOf(settings).inFolder ? [EVENTS_FILE] : []),
    ...(stateEngineOf(settings).inFolder ? [STATE_FILE] : []),
    ...(masterKey === undefined && existsSync(join(dataDir, KEY_FILE)) ? [KEY_FILE] : []),
    ...(ledger === undefined ? [] : [LEDGER_FILE]),
  ];
  writeManifest(dataDir, {
    installation,
    log,
    ledger: ledger?.mark.identity ?? before?.ledger ?? null,
    starts,
    files: here,
    at: placeOf(dataDir),
  });
  await changeEntry(keyValues, FOLDER_ENTRY, () => JSON.stringify({ starts, settled: true }));
  return ledger === undefined ? { close: () => Promise.resolve() } : markLedger(keyValues, ledger, machine.time);
}

/** Saves the end of the ledger while the service runs: a shorter ledger is an older copy. */
function markLedger(keyValues: KeyValueStore, ledger: LedgerHere, time: Time): RecordedFolder {
  let saved = ledger.mark;
  const save = async (): Promise<void> => {
    const { mark } = ledger;
    if (mark.size === saved.size) return;
    await changeEntry(keyValues, LEDGER_ENTRY, () => JSON.stringify(mark));
    saved = mark;
  };
  // The next save makes up for a failed one.
  let saving: Promise<void> = Promise.resolve();
  const again = (): void => void (saving = saving.then(save).catch(() => undefined));
  const timer = time.every(EVERY, again).unref();
  return {
    async close() {
      time.cancel(timer);
      again();
      await saving;
    },
  };
}
