import type { Logger } from 'pino';
import {
  type AcceptedLoss,
  describeFinding,
  type Finding,
  gapFinding,
  haveViewsGoneBy,
  type Keyring,
  type KeyStore,
  type KeyValueStore,
  type LeaseHolder,
  LogUnusable,
  type Machine,
  mayResolveItself,
  type OwnedLog,
  pagesOf,
  retryWhileUnavailable,
  type SeenByView,
  type Time,
  Unavailable,
  unknownFinding,
  unreadableFinding,
} from '#eventsourcing';
import { readAccepted, rememberAccepted } from './accepted.js';
import { ClockJudge } from './clock/clock-judge.js';
import { keepSearching } from './keep-searching.js';
import { KeyStoreWatch } from './key-store-watch.js';
import { keysBehind } from './keys-behind.js';
import { LogGuard } from './log-guard.js';
import { LogLease } from './log-lease.js';
import { LogMark } from './log-mark.js';
import type { LogReports } from './log-reports.js';
import { NotedLease } from './noted-lease.js';
import { NotedStreams } from './noted-streams.js';
import { Ownership } from './ownership.js';
import { keyStoreFailed } from './ownership-findings.js';
import { WatchedLog } from './watched-log.js';

/** How often the service checks that a shared key store is unchanged, in milliseconds. */
const KEY_STORE_ASKED_EVERY = 1_000;

/** The log, and what is kept beside it. */
interface LogAndKeys {
  readonly log: OwnedLog;
  readonly keyValues: KeyValueStore;
  readonly keyring: Keyring;
  readonly keys: Pick<KeyStore, 'knows'>;
  /** How far the views that were built from a log have come. */
  readonly seenByViews: (log: string) => Promise<readonly SeenByView[]>;
  /** Resolves when nothing more can be stored beside the log until a restart; absent for a server, which comes back. */
  readonly failed?: Promise<Error>;
}

interface OwnerOptions {
  /** The codes of findings that the operator accepts at this start. */
  readonly accepted: ReadonlySet<string>;
  /** This process, as others of the installation see it. */
  readonly me: LeaseHolder;
  /** Whether others can reach and restore the key store. */
  readonly keysShared: boolean;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly machine: Machine;
}

/** The log, and the guard that checks whose log it is. */
export interface GuardedLog {
  readonly log: WatchedLog;
  readonly guard: LogGuard;
  /** The losses that an operator has accepted, at this start and before. */
  readonly acceptedLoss: AcceptedLoss;
  /**
   * Whether the log was refused, but a new start would find nothing against it now.
   * @throws Unavailable if the log cannot answer
   */
  isRightAgain(): Promise<boolean>;
  /** Has this machine’s clock judged, because an event contradicts it. @returns whether nothing can change the judgement any more */
  doubtClock(finding: Finding): boolean;
  /** Saves the mark and stops all checks. */
  close(): Promise<void>;
}

/**
 * Opens a log as this installation's: checks at the start, and while the service runs, that it is. A finding has the same effect
 * at both times: the service refuses the log, and goes on to say so.
 * @param options.reports receives what the log's adapter reports
 * @throws Unavailable if the log cannot answer
 */
export async function openOwnedLog(
  parts: LogAndKeys,
  options: OwnerOptions & { readonly reports: LogReports },
): Promise<GuardedLog> {
  const { keyValues, failed } = parts;
  const { accepted, keysShared, reports, machine } = options;
  const { lookAtNoted, ...guarded } = await guardLog(parts, options);
  const { guard } = guarded;
  // Before anything else is waited for: the guard already looks at noted streams, and at each of them only once.
  reports.goTo(guard);
  // What it writes could not be noted beside the keys, so a later start could take an older log for ours.
  void failed?.then((error) => guard.refuse(keyStoreFailed(error)));
  // The survey has already checked a key store in the folder. A refused log may lack the events that this check reads.
  const behind = !keysShared || guard.refused ? undefined : await keysBehind(parts);
  if (behind !== undefined && !accepted.has(behind.code)) guard.refuse(behind);
  if (!guard.refused) await retryWhileUnavailable(machine.time, lookAtNoted);
  const acceptedLoss = await retryWhileUnavailable(machine.time, () => acceptedBy(keyValues, accepted));
  return { ...guarded, acceptedLoss };
}

/** What a guard is made of, until the start has looked at the noted streams. */
interface GuardedAtStart extends Omit<GuardedLog, 'acceptedLoss'> {
  /**
   * Checks the streams with noted findings, so that a start reports the same findings as a running process.
   * @throws Unavailable if the log cannot answer
   */
  readonly lookAtNoted: () => Promise<void>;
}

async function guardLog(
  { log, keyValues, keyring, seenByViews }: LogAndKeys,
  { accepted, me, keysShared, logger, machine }: OwnerOptions,
): Promise<GuardedAtStart> {
  const { time } = machine;
  const waits = (words: string): void => logger.info(`Holdfast ${words}`);
  const mark = new LogMark(keyValues, time);
  const ownership = new Ownership({
    log,
    keyValues,
    mark,
    keyring,
    machine,
    keysShared,
    seenByViews,
    waits,
  });
  const register =
    log.lease === undefined ? undefined : new NotedLease(log.lease, { mark, doubtful: () => guard.doubtful });
  let lease: LogLease | undefined;
  /** Many calls wait for the lease; it is logged once. */
  let lapsed = false;
  const lapses = (now: boolean, lost = false): void => {
    if (lapsed === now) return;
    lapsed = now;
    if (now) logger.warn('the lease of the event log has expired; this process asks for it again');
    else logger.info({ lost }, `the lease of the event log is ${lost ? 'lost' : 'held again'}`);
  };
  const takeLease = async (): Promise<void> => {
    if (register === undefined || lease !== undefined) return;
    lease = await retryWhileUnavailable(time, () =>
      LogLease.take(register, me, waits, time, undefined, () => clocks.trust()),
    );
    logger.info({ holder: me.words }, 'this process has the lease of the event log');
    const finding = lease.held ? undefined : await lease.hold();
    if (finding !== undefined) guard.refuse(finding);
  };
  /** Waits for other holders of the lease first. While there is a finding, it writes nothing to the log. */
  const joinHolders = async (): Promise<void> => {
    if ((await retryWhileUnavailable(time, () => ownership.foreseen(mark))) === undefined) {
      await retryWhileUnavailable(time, () => ownership.repair());
      return takeLease();
    }
    if (register !== undefined) await retryWhileUnavailable(time, () => LogLease.untilFree(register, me, waits, time));
  };
  /** Whether the log finds nothing of a stream that was cut: it is refused then, unless nothing can be written to it anyway. */
  const isUnknown = async (stream: string): Promise<boolean> => {
    if (log.lease === undefined || (await log.readStream(stream, 0, 1)).length > 0) return false;
    if ((await log.isDeleted?.(stream)) === true) return false;
    return guard.refuse(unknownFinding(stream));
  };
  const noted = new NotedStreams(keyValues, async ({ stream, revision }) => {
    try {
      if ((await log.isCut?.(stream)) === true) return true;
      let from = revision;
      for await (const events of pagesOf(log, stream, from)) {
        const gap = gapFinding(stream, from, events);
        if (gap !== undefined) {
          guard.refuse(gap);
          return true;
        }
        from += events.length;
      }
      return await isUnknown(stream);
    } catch (error) {
      if (error instanceof LogUnusable) guard.refuse(unreadableFinding(stream, error.message));
      const isOfLog = error instanceof LogUnusable || error instanceof Unavailable;
      if (isOfLog && guard.refuses(stream)) return true;
      throw error;
    }
  });
  const notice = (finding: Finding): void => {
    logger.error({ finding }, describeFinding(finding));
    // Findings in a refused log are not noted: the log may not be ours.
    if (!guard.refused) noted.note(finding);
  };
  const before = await readAccepted(keyValues);
  const clocks = new ClockJudge(
    async () => log.connect?.(),
    {
      refused: (finding) => logger.error({ finding }, describeFinding(finding)),
      trusted: () => logger.info('this machine’s clock agrees with that of the event log’s server'),
      server: (words) => logger.warn(words),
    },
    time,
  );
  const guard = new LogGuard({
    async check(connection) {
      // With each new leader. No answer is no finding.
      await clocks.compare(connection).catch(() => undefined);
      const findings = await ownership.check(connection);
      const taken = findings.length === 0 ? await lease?.look() : undefined;
      return taken === undefined ? findings : [taken];
    },
    clock: clocks,
    connect: async () => log.connect?.(),
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
    remember({ code, kind, stream, below, at }) {
      logger.info({ finding: code, stream }, 'an operator has accepted a finding about a stream');
      // A stream's setting that removes events is accepted only while ACCEPT names it; what is in the log, or gone, for ever.
      if (stream === undefined || (below === undefined && at === undefined && kind !== 'tombstone')) return;
      const kept = { code, stream, ...(below !== undefined && { below }), ...(at !== undefined && { at }) };
      // If this fails, the finding comes back at the next start, where the code accepts it again.
      void rememberAccepted(keyValues, kept).catch(() => undefined);
    },
  });
  // Before anything is written.
  const wrong = log.notBegun ?? (await retryWhileUnavailable(time, () => clocks.ask()));
  if (wrong !== undefined) guard.refuse(wrong);
  // The log of another installation is refused at once. Processes of this installation wait for the lease.
  if (!guard.refused && (await retryWhileUnavailable(time, () => ownership.isOurs()))) await joinHolders();
  if (!guard.refused)
    await retryWhileUnavailable(time, () => guard.begin((connection) => ownership.begin(accepted, connection)));
  if (!guard.refused) {
    await takeLease();
    clocks.watch();
  }
  const keyStore = await retryWhileUnavailable(time, () => KeyStoreWatch.begin(keyValues, mark));
  const closing = new AbortController();
  const asking = keysShared ? askKeyStore(keyStore, guard, noted, closing.signal, time) : undefined;
  const watched = new WatchedLog(log, guard, (seen) => mark.saw(seen), time);
  const search = keepSearching(log, keyValues, guard, noted, closing.signal, time);
  return {
    log: watched,
    guard,
    async isRightAgain() {
      const { findings } = guard;
      // A start that did not trust its clock has examined nothing else. What followers found of streams, they find again.
      if (findings.every(({ kind, stream }) => kind === 'clock' || stream !== undefined))
        return (await clocks.ask()) === undefined;
      if (!mayResolveItself(findings) && !(await haveViewsGoneBy(findings, log))) return false;
      // What only this process knows about the log counts too.
      await mark.save();
      return (await keyStore.isRight()) && (await ownership.foreseen(new LogMark(keyValues, time))) === undefined;
    },
    // With accepted codes the notes stay: a later start without the codes finds the same again.
    async lookAtNoted() {
      await noted.look(accepted.size === 0);
      const cut = new Set(
        before.flatMap(({ stream, at }) => (stream === undefined || at !== undefined ? [] : [stream])),
      );
      for (const stream of cut) await isUnknown(stream);
    },
    doubtClock(finding) {
      if (log.connect === undefined) return guard.refuse(finding);
      clocks.doubt();
      return false;
    },
    async close() {
      closing.abort();
      // A server that is away must not delay the end.
      await Promise.race([search, time.pause(1_000)]);
      await clocks.close();
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
 * Checks a shared key store again and again: somebody may replace it by another one or an older copy without breaking any
 * call. Other processes also note findings in it.
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
    // If it cannot answer, the calls that need it say so.
    const finding = await keyStore.look().catch(() => undefined);
    if (finding !== undefined) guard.refuse(finding);
    if (!guard.refused) await noted.look(false).catch(() => undefined);
  }
}

async function acceptedBy(keyValues: KeyValueStore, accepted: ReadonlySet<string>): Promise<AcceptedLoss> {
  const before = await readAccepted(keyValues);
  return {
    codes: accepted,
    logsAt: before.flatMap(({ position }) => (position === undefined ? [] : [BigInt(position)])),
    streams: new Set(before.flatMap(({ stream }) => stream ?? [])),
  };
}
