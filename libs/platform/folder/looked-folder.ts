import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedLogReader, lookAtState, type StateLook } from '#adapters/embedded';
import { type LedgerLook, lookAtLedger } from '#adapters/sandbox-gateway';
import { checkEarlier, Keyring, KEYS_FACT, loadMasterKey, type Randomness, unwrapKeys } from '#eventsourcing';
import type { Config } from '../config.js';
import { keptEngineOf } from '../engines/kept-engines.js';
import { logEngineOf } from '../engines/log-engines.js';
import { type Fault, fault } from './faults.js';
import { LEDGER_FILE } from './ledger-file.js';
import { type Manifest, readManifest } from './manifest.js';

export const EVENTS_FILE = 'events.db';
export const STATE_FILE = 'state.db';
export const KEY_FILE = 'master.key';
export { LEDGER_FILE };

/** What a start makes beside the service itself: where one of these is, there was an installation. */
const TRACES = ['operator.token', 'auditor.token', 'demo.env', 'views'];

/** What is in a data folder, looked at before anything is written. */
export interface LookedFolder {
  readonly manifest: Manifest | undefined;
  /** Which parts of the service are in the folder, by the settings. */
  readonly holds: { readonly log: boolean; readonly keys: boolean; readonly ledger: boolean };
  /** Whether there is anything that an earlier start has left. */
  readonly used: boolean;
  readonly state: StateLook | undefined;
  /** What its keys give; undefined where they cannot be had. */
  readonly keyring: Keyring | undefined;
  readonly log: EmbeddedLogReader | undefined;
  readonly ledger: LedgerLook | undefined;
  /** What cannot be read. */
  readonly faults: readonly Fault[];
  close(): Promise<void>;
}

export type FolderSettings = Pick<
  Config,
  'dataDir' | 'eventStoreUrl' | 'mongoUrl' | 'sandboxGatewayUrl' | 'masterKey' | 'accept'
>;

/** Looks at a data folder, and writes nothing. */
export function lookAtFolder(settings: FolderSettings, randomness: Randomness): LookedFolder {
  const { dataDir } = settings;
  const faults: Fault[] = [];
  const attempt = <T>(look: () => T): T | undefined => {
    try {
      return look();
    } catch (error) {
      faults.push(fault(`${error instanceof Error ? error.message : String(error)}.`));
      return undefined;
    }
  };
  const inFolder = (name: string): string => join(dataDir, name);
  const holds = {
    log: logEngineOf(settings).inFolder,
    keys: keptEngineOf(settings).inFolder,
    ledger: settings.sandboxGatewayUrl === undefined,
  };
  const manifest = attempt(() => readManifest(dataDir));
  const state = attempt(() => (holds.keys ? lookAtState(inFolder(STATE_FILE)) : undefined));
  const keyring = state && attempt(() => keysOf(state, settings, randomness));
  const log = attempt(() =>
    holds.log && isFilled(inFolder(EVENTS_FILE)) ? EmbeddedLogReader.look(inFolder(EVENTS_FILE)) : undefined,
  );
  const ledger = attempt(() => (holds.ledger ? lookAtLedger(inFolder(LEDGER_FILE)) : undefined));
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

/** The keys in state.db. @throws Error in words when the master key is another one, damaged, or missing */
function keysOf(
  state: StateLook,
  { dataDir, masterKey: fromEnvironment }: FolderSettings,
  randomness: Randomness,
): Keyring | undefined {
  const keys = state.facts.get(KEYS_FACT);
  if (keys === undefined && state.earlierCheck === undefined) return undefined;
  const master = loadMasterKey({ fromEnvironment, file: join(dataDir, KEY_FILE), mustExist: true, randomness });
  const place = join(dataDir, STATE_FILE);
  if (keys !== undefined) return unwrapKeys(keys, master, place, randomness);
  checkEarlier(state.earlierCheck ?? '', master, place, randomness);
  return Keyring.of(master, randomness);
}

/** Whether more than keys was ever kept in it. */
function isUsed(state: StateLook | undefined): boolean {
  return state !== undefined && (state.holdsSecrets || [...state.facts.keys()].some((name) => name !== KEYS_FACT));
}

/** Whether there is a file with something in it. */
export function isFilled(file: string): boolean {
  return existsSync(file) && statSync(file).size > 0;
}

/** An empty folder is what a first start that broke off has left. */
function isThere(path: string): boolean {
  return existsSync(path) && (!statSync(path).isDirectory() || readdirSync(path).length > 0);
}
