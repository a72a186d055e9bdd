import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedLogReader, inspectState, type StateInspection } from '#adapters/embedded';
import { type LedgerInspection, inspectLedger } from '#adapters/sandbox-gateway';
import { type Keyring, KEYS_ENTRY, loadMasterKey, OtherFormat, type Randomness, unwrapKeys } from '#eventsourcing';
import type { Config, GatewayUrls, ServerUrls } from '../config.js';
import { gatewayOf } from '../engines/gateways.js';
import { stateEngineOf } from '../engines/state-engines.js';
import { logEngineOf } from '../engines/log-engines.js';
import { type Fault, fault } from './faults.js';
import { LEDGER_FILE } from './ledger-file.js';
import { type Manifest, readManifest } from './manifest.js';

export const EVENTS_FILE = 'events.db';
export const STATE_FILE = 'state.db';
export const KEY_FILE = 'master.key';
export { LEDGER_FILE };

/** Files that a start makes. If one of these exists, the folder had an installation. */
const TRACES = ['operator.token', 'auditor.token', 'demo.env', 'views'];

/** The content of a data folder, read before anything is written. */
export interface InspectedFolder {
  readonly manifest: Manifest | undefined;
  /** The parts that are in the folder, by the settings. */
  readonly holds: { readonly log: boolean; readonly keys: boolean; readonly ledger: boolean };
  /** Whether an earlier start has left anything. */
  readonly used: boolean;
  readonly state: StateInspection | undefined;
  /** Undefined if the keys cannot be opened. */
  readonly keyring: Keyring | undefined;
  readonly log: EmbeddedLogReader | undefined;
  readonly ledger: LedgerInspection | undefined;
  /** The files that cannot be read. */
  readonly faults: readonly Fault[];
  close(): Promise<void>;
}

export type FolderSettings = ServerUrls & GatewayUrls & Pick<Config, 'dataDir' | 'masterKey' | 'accept'>;

/** Reads a data folder without writing to it. @throws OtherFormat if another build wrote it */
export function inspectFolder(settings: FolderSettings, randomness: Randomness): InspectedFolder {
  const { dataDir } = settings;
  const faults: Fault[] = [];
  const attempt = <T>(look: () => T): T | undefined => {
    try {
      return look();
    } catch (error) {
      // Nothing else can be said of the folder.
      if (error instanceof OtherFormat) throw error;
      faults.push(fault(`${error instanceof Error ? error.message : String(error)}.`));
      return undefined;
    }
  };
  const inFolder = (name: string): string => join(dataDir, name);
  const holds = {
    log: logEngineOf(settings).inFolder,
    keys: stateEngineOf(settings).inFolder,
    ledger: gatewayOf(settings).inFolder,
  };
  const manifest = attempt(() => readManifest(dataDir));
  const state = attempt(() => (holds.keys ? inspectState(inFolder(STATE_FILE)) : undefined));
  const keyring = state && attempt(() => keysOf(state, settings, randomness));
  const log = attempt(() =>
    holds.log && isFilled(inFolder(EVENTS_FILE)) ? EmbeddedLogReader.look(inFolder(EVENTS_FILE)) : undefined,
  );
  const ledger = attempt(() => (holds.ledger ? inspectLedger(inFolder(LEDGER_FILE)) : undefined));
  return {
    manifest,
    holds,
    used:
      manifest !== undefined ||
      log !== undefined ||
      isUsed(state) ||
      (ledger?.lines.length ?? 0) > 0 ||
      TRACES.some((name) => isThere(inFolder(name))),
    state,
    keyring,
    log,
    ledger,
    faults,
    close: async () => log?.close(),
  };
}

/** The keys in state.db. @throws Error for people to read if the master key is another one, damaged or missing */
function keysOf(
  state: StateInspection,
  { dataDir, masterKey: fromEnvironment }: FolderSettings,
  randomness: Randomness,
): Keyring | undefined {
  const keys = state.keyValues.get(KEYS_ENTRY);
  if (keys === undefined) return undefined;
  const master = loadMasterKey({ fromEnvironment, file: join(dataDir, KEY_FILE), mustExist: true, randomness });
  return unwrapKeys(keys, master, join(dataDir, STATE_FILE), randomness);
}

/** Whether it has ever held more than keys. */
function isUsed(state: StateInspection | undefined): boolean {
  return state !== undefined && (state.holdsSecrets || [...state.keyValues.keys()].some((name) => name !== KEYS_ENTRY));
}

/** Whether something is there, other than an empty file. */
export function isFilled(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && (!found.isFile() || found.size > 0);
}

/** Whether a file exists, or a folder that is not empty: a first start that broke off leaves an empty one. */
function isThere(path: string): boolean {
  return existsSync(path) && (!statSync(path).isDirectory() || readdirSync(path).length > 0);
}
