import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { pid } from 'node:process';
import type { Logger } from 'pino';
import {
  type Facts,
  type Finding,
  gapIn,
  LogUnusable,
  unreadableIn,
  KeyStoreWatch,
  type LeaseHolder,
  LogGuard,
  LogLease,
  LogMark,
  type Machine,
  mayGoBy,
  NotedLease,
  NotedStreams,
  Ownership,
  type OwnedLog,
  readAccepted,
  rememberAccepted,
  type Keyring,
  type Time,
  toldOf,
  Unavailable,
  WatchedLog,
} from '#eventsourcing';
import { keysFit } from '#partners';
import type { Config, Role } from '../config.js';
import { patiently } from '../patience.js';
import { keptEngineOf } from './kept-engines.js';
import type { ServerUrls } from './named.js';
import { placeOf } from './place-of.js';
import type { AcceptedLoss } from '../projector/projector-thread.js';

/** How often a key store that others can reach is asked whether it is still what it was, in milliseconds. */
const KEY_STORE_ASKED_EVERY = 1_000;
/** Events that are read at once of a stream of which something was noted. */
const PAGE = 1_000;

/** The log with whoever watches over whose it is. */
export interface GuardedLog {
  readonly log: WatchedLog;
  readonly guard: LogGuard;
  /**
   * Whether the log was refused, and what was there before is back: a new start would find nothing against it.
   * @throws Unavailable when it cannot be asked
   */
  isRightAgain(): Promise<boolean>;
  /**
   * Looks at the streams of which something was found before: a start says of them what a running process does.
   * @throws Unavailable when it cannot be asked
   */
  lookAtNoted(): Promise<void>;
  /** Writes down the mark; asks nothing any more. */
  close(): Promise<void>;
}

/**
 * Checks that the log is this installation's, and goes on to. What it finds at the start it tells as what it finds later:
 * the log is refused, and the service lives to say so.
 * @throws Unavailable when the log cannot be asked
 */
export async function guardLog(
  { log, facts, keyring }: { readonly log: OwnedLog; readonly facts: Facts; readonly keyring: Keyring },
  config: Pick<Config, 'accept' | 'role' | 'dataDir' | keyof ServerUrls>,
  logger: Logger,
  machine: Machine,
): Promise<GuardedLog> {
  const { accept: accepted, role, dataDir } = config;
  const keysShared = !keptEngineOf(config).inFolder;
  const { time } = machine;
  const waits = (words: string): void => logger.info(`Holdfast ${words}`);
  const mark = new LogMark(facts, time);
  const ownership = new Ownership({
    log,
    facts,
    mark,
    keyring,
    machine,
    keysFit: (event) => keysFit(keyring, event),
    keysShared,
    waits,
  });
  const me = holderOf(role, dataDir, machine.randomness.uuid());
  const register =
    log.lease === undefined ? undefined : new NotedLease(log.lease, { mark, doubtful: () => guard.doubtful });
  let lease: LogLease | undefined;
  /** Calls that wait for it are many; it is told once. */
  let lapsed = false;
  const lapses = (now: boolean, lost = false): void => {
    if (lapsed === now) return;
    lapsed = now;
    if (now) logger.warn('the lease of the event log has run out; it is asked for again');
    else logger.info({ lost }, `the lease of the event log is ${lost ? 'lost' : 'held again'}`);
  };
  const takeLease = async (): Promise<void> => {
    if (register === undefined || lease !== undefined) return;
    lease = await patiently(time, () => LogLease.take(register, me, waits, time));
    logger.info({ holder: me.words }, 'this process has the lease of the event log');
    const finding = lease.held ? undefined : await lease.hold();
    if (finding !== undefined) guard.refuse(finding);
  };
  /** Who decides on the log already is told of first; where anything speaks against the log, nothing is written to it. */
  const joinHolders = async (): Promise<void> => {
    if ((await patiently(time, () => ownership.foreseen(mark))) === undefined) return takeLease();
    if (register !== undefined) await patiently(time, () => LogLease.untilFree(register, me, waits, time));
  };
  const noted = new NotedStreams(facts, async ({ stream, revision }) => {
    try {
      if ((await log.isCut?.(stream)) === true) return true;
      for (let from = revision; ; from += PAGE) {
        const events = await log.readStream(stream, from, PAGE);
        const gap = gapIn(stream, from, events);
        if (gap !== undefined) guard.refuse(gap);
        if (gap !== undefined || events.length < PAGE) return gap !== undefined;
      }
    } catch (error) {
      if (error instanceof LogUnusable) guard.refuse(unreadableIn(stream, error.message));
      const isOfLog = error instanceof LogUnusable || error instanceof Unavailable;
      if (isOfLog && guard.refuses(stream)) return true;
      throw error;
    }
  });
  const notice = (finding: Finding): void => {
    logger.error({ finding }, toldOf(finding));
    // What a log says that is not ours is not noted.
    if (!guard.refused) noted.note(finding);
  };
  const before = await readAccepted(facts);
  const guard = new LogGuard({
    check: () => ownership.check(),
    accepted,
    before,
    notice,
    time,
    lease: {
      get held() {
        return lease?.held ?? true;
      },
      async hold() {
        lapses(true);
        const finding = await lease?.hold();
        lapses(false, finding !== undefined);
        return finding;
      },
    },
    remember({ code, stream, below }) {
      // What takes events away is accepted as long as the setting says so; what is gone, for ever.
      if (stream === undefined || below === undefined) return;
      const kept = { code, stream, below };
      // Where it cannot be written now, it is found again, and accepted by the setting again.
      void rememberAccepted(facts, kept).catch(() => undefined);
    },
  });
  // Another installation is refused whether it lives or not; of one installation's processes not all may decide at once.
  if (await patiently(time, () => ownership.isOurs())) await joinHolders();
  for (const finding of await patiently(time, () => ownership.begin(accepted))) guard.refuse(finding);
  if (!guard.refused) await takeLease();
  const keyStore = await patiently(time, () => KeyStoreWatch.begin(facts, mark));
  const closing = new AbortController();
  const asking = keysShared ? askKeyStore(keyStore, guard, noted, closing.signal, time) : undefined;
  const watched = new WatchedLog(log, guard, (seen) => mark.saw(seen), time);
  return {
    log: watched,
    guard,
    async isRightAgain() {
      if (!mayGoBy(guard.findings)) return false;
      // What this process alone knows of the log counts, too.
      await mark.save();
      return (await keyStore.isRight()) && (await ownership.foreseen(new LogMark(facts, time))) === undefined;
    },
    // What is accepted now is found again by a start that does not accept it.
    lookAtNoted: () => noted.look(accepted.size === 0),
    async close() {
      closing.abort();
      await asking;
      await noted.close();
      guard.close();
      watched.rest();
      if (!guard.refused) await mark.close();
      await lease?.close();
      if (lease !== undefined) await register?.settle().catch(() => undefined);
    },
  };
}

/**
 * Another key store, or an older copy, may be put in the place of one that others can reach, and no call breaks by that; and
 * others note in it what they find.
 */
async function askKeyStore(
  keyStore: KeyStoreWatch,
  guard: LogGuard,
  noted: NotedStreams,
  signal: AbortSignal,
  time: Time,
): Promise<void> {
  while (!signal.aborted) {
    await time.pause(KEY_STORE_ASKED_EVERY, { signal });
    // Where it cannot be asked, whatever needs it says so.
    const finding = await keyStore.look().catch(() => undefined);
    if (finding !== undefined) guard.refuse(finding);
    if (!guard.refused) await noted.look(false).catch(() => undefined);
  }
}

function holderOf(role: Role, dataDir: string, process: string): LeaseHolder {
  const what = role === 'all' ? 'a whole service' : role === 'api' ? 'an API' : 'a worker';
  return {
    mode: role === 'all' ? 'alone' : 'shared',
    place: placeOf(dataDir),
    process,
    words: `${what} on ${hostname()} with the data folder ${resolve(dataDir)}, process ${pid}`,
  };
}

/** What the operator has accepted to be lost, at this start and before. */
export async function acceptedBy(facts: Facts, { accept }: Pick<Config, 'accept'>): Promise<AcceptedLoss> {
  const before = await readAccepted(facts);
  return {
    codes: accept,
    logsAt: before.flatMap(({ position }) => (position === undefined ? [] : [BigInt(position)])),
  };
}
