import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inspectState } from '#adapters/embedded';
import { type KeyValueStore, KEYS_ENTRY, type Machine, type OwnedLog } from '#eventsourcing';
import { PUT_BACK, UnreadableFile } from '#files';
import {
  INSTALLATION_ENTRY,
  ledgerFinding,
  readMark,
  keysBehindFinding,
  personOf,
  registeredAfter,
  LEDGER_ENTRY,
  parseLedgerMark,
  surveyLog,
} from '#ownership';
import { noTokenMessage, tokenIn } from '../first-start/token-file.js';
import { acceptable, assertNoFaults, type Fault, fault } from './faults.js';
import { FOLDER_ENTRY, parseStarts, type Starts } from './folder-entries.js';
import {
  EVENTS_FILE,
  type FolderSettings,
  isFilled,
  KEY_FILE,
  LEDGER_FILE,
  type InspectedFolder,
  inspectFolder,
  STATE_FILE,
} from './inspected-folder.js';
import { MANIFEST_FILE, type Manifest } from './manifest.js';

/** How many of the last events of a type it reads, to stay fast. */
const SOME = 100;

/**
 * Checks a data folder before anything is written to it: is each file there and readable, is it this installation's, and is it
 * no older than the others? Views do not count: they can be built again.
 * @returns the manifest; undefined for a new folder
 * @throws FolderRefused that says what to put back; OtherFormat if another build wrote the folder
 */
export async function surveyFolder(settings: FolderSettings, machine: Machine): Promise<Manifest | undefined> {
  const looked = inspectFolder(settings, machine.randomness);
  try {
    const { dataDir, accept } = settings;
    const absent = [
      ...looked.faults,
      ...misplaced(looked, settings),
      ...missing(looked, settings),
      ...tokens(settings),
    ];
    assertNoFaults(dataDir, absent, accept);
    assertNoFaults(dataDir, [...ofOthers(looked), ...(await disagreeing(looked, settings, machine))], accept);
    return looked.manifest;
  } finally {
    await looked.close();
  }
}

/** Parts that are not where the settings look for them. */
function misplaced({ manifest, holds }: InspectedFolder, { dataDir }: FolderSettings): Fault[] {
  const parts = [
    { file: EVENTS_FILE, here: holds.log, setting: 'EVENTSTORE_URL', what: 'the event log' },
    { file: STATE_FILE, here: holds.keys, setting: 'MONGODB_URL', what: 'the key store' },
  ];
  return parts.flatMap(({ file, here, setting, what }) => {
    const belongs = manifest?.files.includes(file);
    if (here && belongs === false) {
      return [fault(`${what} of this installation is on a server: set ${setting} as before.`)];
    }
    if (here || !(belongs ?? isFilled(join(dataDir, file)))) return [];
    return [
      fault(
        `${setting} is set, and ${file} is ${what} of this installation: unset ${setting}, or name another DATA_DIR.`,
      ),
    ];
  });
}

function missing(looked: InspectedFolder, settings: FolderSettings): Fault[] {
  const { manifest, holds, used, state } = looked;
  if (!used) return [];
  const inFolder = (name: string): string => join(settings.dataDir, name);
  const lost = (name: string, loses: string): Fault[] =>
    isFilled(inFolder(name))
      ? []
      : [fault(`${name} is ${existsSync(inFolder(name)) ? 'empty' : 'missing'}: ${PUT_BACK}. ${loses}`)];
  const newShop = 'A new installation needs an empty folder: name another DATA_DIR.';
  const faults = [
    ...(holds.log ? lost(EVENTS_FILE, `It is the event log, from which everything else is built. ${newShop}`) : []),
    ...(holds.keys
      ? lost(STATE_FILE, `It holds the keys, without which nothing of the log can be read. ${newShop}`)
      : []),
  ];
  const keyless = state !== undefined && !state.keyValues.has(KEYS_ENTRY);
  if (keyless) faults.push(fault(`${STATE_FILE} has no keys: ${PUT_BACK}.`));
  // If the key store is here, opening it has already tried the master key.
  if (state === undefined && settings.masterKey === undefined && manifest?.files.includes(KEY_FILE) === true) {
    faults.push(...lost(KEY_FILE, 'Or set MASTER_KEY to what it held: nothing else opens the keys.'));
  }
  const starts = state?.keyValues.get(FOLDER_ENTRY);
  if (manifest === undefined && starts !== undefined && !isFirst(parseStarts(starts))) {
    const words = `${MANIFEST_FILE} is missing, which lists what belongs to the folder: ${PUT_BACK}.`;
    faults.push(acceptable('manifest', words, [starts]));
  }
  return faults;
}

/** Whether the first start that writes a manifest broke off before it was certain that it is there. It has answered nobody yet. */
function isFirst({ starts, settled }: Starts): boolean {
  return starts === 1 && !settled;
}

/**
 * Compares a folder's manifest and ledger with a key store on a server, once that is open.
 * @throws FolderRefused if they do not belong together
 */
export async function surveyKeyStore(
  settings: FolderSettings,
  manifest: Manifest | undefined,
  keyValues: KeyValueStore,
  machine: Machine,
): Promise<void> {
  if (manifest === undefined) return;
  const { dataDir, accept } = settings;
  if ((await keyValues.get(INSTALLATION_ENTRY)) !== manifest.installation) {
    const words =
      'the database of MONGODB_URL belongs to another installation than the folder: set MONGODB_URL or DATA_DIR to its earlier value.';
    assertNoFaults(dataDir, [fault(words)], accept);
  }
  const [starts, ledger] = [await keyValues.get(FOLDER_ENTRY), await keyValues.get(LEDGER_ENTRY)];
  const looked = inspectFolder(settings, machine.randomness);
  try {
    assertNoFaults(dataDir, [...startsDisagree(manifest, starts), ...againstLedger(looked, ledger)], accept);
  } finally {
    await looked.close();
  }
}

/** Files that belong to another installation. */
function ofOthers({ manifest, state, log }: InspectedFolder): Fault[] {
  const ours = manifest?.installation;
  const keys = state?.keyValues.get(INSTALLATION_ENTRY);
  if (ours === undefined || state === undefined || keys === ours) return [];
  const owner = log?.record().owner?.installation;
  const odd = owner !== undefined && owner === keys ? MANIFEST_FILE : STATE_FILE;
  return [fault(`${odd} belongs to another installation than the other files: put the one back that belongs to them.`)];
}

/** Token files without a whole token: a start would issue the rest of a cut one. */
function tokens({ dataDir }: FolderSettings): Fault[] {
  return ['operator.token', 'auditor.token'].flatMap((name) => {
    const file = join(dataDir, name);
    try {
      return !existsSync(file) || tokenIn(file) !== undefined ? [] : [fault(`${noTokenMessage(file)}.`)];
    } catch (error) {
      if (error instanceof UnreadableFile) return [fault(`${error.message}.`)];
      throw error;
    }
  });
}

/** Contradictions between the files. */
async function disagreeing(looked: InspectedFolder, settings: FolderSettings, machine: Machine): Promise<Fault[]> {
  const { manifest, state, log } = looked;
  return [
    ...(log === undefined || looked.keyring === undefined ? [] : await againstLog(looked, machine)),
    ...(state === undefined ? [] : startsDisagree(manifest, state.keyValues.get(FOLDER_ENTRY))),
    ...(await keysBehind(looked, settings)),
    ...(looked.holds.keys ? againstLedger(looked, state?.keyValues.get(LEDGER_ENTRY)) : []),
  ];
}

/** The findings about the log. The running service finds the same, under the same codes. */
async function againstLog({ log, state, keyring }: InspectedFolder, machine: Machine): Promise<Fault[]> {
  if (log === undefined || state === undefined || keyring === undefined) return [];
  const keyValues = copyOf(state.keyValues);
  const owned: OwnedLog = {
    identity: log.identity,
    countsBytes: log.countsBytes,
    head: () => log.head(),
    eventAt: (position) => log.eventAt(position),
    readStream: (...parameters) => log.readStream(...parameters),
    subscribe: (...parameters) => log.subscribe(...parameters),
    record: () => Promise.resolve(log.record()),
    own: () => Promise.resolve(true),
    append: () => Promise.reject(new Error('the survey must not write to the log')),
    close: () => Promise.resolve(),
  };
  const found = await surveyLog({ log: owned, keyValues, keyring, machine });
  return found.map((finding) => ({
    words: finding.words,
    finding: { ...finding, words: `${EVENTS_FILE}: ${finding.words}` },
  }));
}

/**
 * Compares the number of starts in manifest and key store.
 * @param text the entry that has the number of starts
 */
function startsDisagree(manifest: Manifest | undefined, text: string | undefined): Fault[] {
  const { starts, settled } = parseStarts(text);
  if (manifest === undefined || starts === manifest.starts || (!settled && starts === manifest.starts + 1)) return [];
  const [kind, older] =
    starts < manifest.starts ? (['starts', 'the key store'] as const) : (['manifest', MANIFEST_FILE] as const);
  const words = `${older} is older than the rest of the folder (start ${Math.min(starts, manifest.starts)} of ${Math.max(starts, manifest.starts)}): ${PUT_BACK}.`;
  return [acceptable(kind, words, [starts, manifest.starts])];
}

/** A person's key is made before their first event: if the log knows persons without a key, the key store is older. */
async function keysBehind({ log, state }: InspectedFolder, { dataDir }: FolderSettings): Promise<Fault[]> {
  if (log === undefined || state === undefined) return [];
  const mark = await readMark(copyOf(state.keyValues));
  const persons =
    mark === undefined ? log.latest('user-registered', SOME).map(personOf) : await registeredAfter(log, mark.position);
  const { unknown = [] } = inspectState(join(dataDir, STATE_FILE), persons) ?? {};
  if (unknown.length === 0) return [];
  const finding = keysBehindFinding(unknown);
  return [{ words: finding.words, finding: { ...finding, words: `${STATE_FILE}: ${finding.words}` } }];
}

/** Checks that the sandbox gateway's ledger is the known one, and reaches at least to the known end. */
function againstLedger({ manifest, holds, used, log, ledger }: InspectedFolder, entry: string | undefined): Fault[] {
  if (!holds.ledger || !used) return [];
  const known = parseLedgerMark(entry);
  const identity = known?.identity ?? manifest?.ledger ?? undefined;
  const faultOf = (what: string, ...found: (string | number | null)[]): Fault[] => [
    acceptable('ledger', `${LEDGER_FILE} ${what}: ${PUT_BACK}.`, [identity ?? null, known?.size ?? null, ...found]),
  ];
  if (ledger === undefined) {
    const charges = identity !== undefined || (log?.latest('purchase-charged', 1).length ?? 0) > 0;
    return charges ? faultOf('is missing', 'missing') : [];
  }
  if (identity !== undefined) {
    if (ledger.identity === undefined)
      return faultOf('is cut off, or older than the rest', 'unnamed', ledger.lines.length);
    if (ledger.identity !== identity) return otherLedger(identity, ledger.identity);
    if (known !== undefined && !ledger.reaches(known)) {
      return faultOf('is cut off, or older than the rest', 'short', ledger.lines.length);
    }
    // The log may name another ledger, if the gateway ran elsewhere since.
    const named = log?.record().owner?.ledger;
    return named === undefined || named === identity ? [] : otherLedger(named, identity);
  }
  const charged = new Set(ledger.lines.map(({ key }) => key));
  const [first] = (log?.latest('purchase-charged', SOME) ?? [])
    .map(({ data }) => (data as { readonly purchase_id: string }).purchase_id)
    .filter((id) => !charged.has(id));
  return first === undefined ? [] : faultOf(`does not know the charge of purchase ${first}`, 'unknown', first);
}

/** The running service gives this finding the same code. */
function otherLedger(known: string, found: string): Fault[] {
  const finding = ledgerFinding(known, found, LEDGER_FILE);
  return [{ words: finding.words, finding }];
}

/** A copy of entries in memory: writing to it changes no file. */
function copyOf(texts: ReadonlyMap<string, string>): KeyValueStore {
  const copy = new Map(texts);
  return {
    get: (name) => Promise.resolve(copy.get(name)),
    insert(name, text) {
      if (!copy.has(name)) copy.set(name, text);
      return Promise.resolve(copy.get(name) ?? text);
    },
    replace(name, expected, text) {
      const same = copy.get(name) === expected;
      if (same) copy.set(name, text);
      return Promise.resolve(same);
    },
  };
}
