import { join } from 'node:path';
import { readErasures } from '#erasures-file';
import type { Config } from '../config.js';
import { stateEngineOf } from '../engines/state-engines.js';
import { FolderRefused } from './faults.js';
import { EVENTS_FILE, isFilled, STATE_FILE } from './inspected-folder.js';
import { readManifest } from './manifest.js';

const WAYS_OUT =
  'This looks like a lost data folder: restore it (holdfast restore) or mount its disk; if that installation is gone for good, delete the file';

/**
 * Refuses a start that would make a new installation beside the erasures of a lost one, or run another installation beside them.
 * It writes nothing: a new folder would stop the restore that puts the lost one back.
 * @throws FolderRefused that says what to do; Error for people if the file of erasures or the manifest is damaged
 */
export function refuseLost(config: Config): void {
  const { dataDir, erasuresFile, role } = config;
  if (role !== 'all') return;
  const erasures = readErasures(erasuresFile);
  if (erasures === undefined || erasures.lines.length === 0) return;
  const installation = readManifest(dataDir)?.installation;
  if (installation === erasures.installation) return;
  if (installation !== undefined) {
    throw new FolderRefused(
      `${erasuresFile} (ERASURES_FILE) has the erasures of another installation than the data folder ${dataDir} (DATA_DIR). ${WAYS_OUT}`,
    );
  }
  // With keys on a server, only the server knows the installation. Files without a manifest are the survey's to judge.
  const isNew = ![EVENTS_FILE, STATE_FILE].some((name) => isFilled(join(dataDir, name)));
  if (!stateEngineOf(config).inFolder || !isNew) return;
  throw new FolderRefused(
    `${erasuresFile} (ERASURES_FILE) has erasures of an installation, and the data folder ${dataDir} (DATA_DIR) has none. ${WAYS_OUT}`,
  );
}
