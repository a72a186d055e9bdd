import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import {
  type Facts,
  type Finding,
  type LeaseHolder,
  LogGuard,
  LogLease,
  LogMark,
  Ownership,
  type OwnedLog,
  readAccepted,
  rememberAccepted,
  type Keyring,
  toldOf,
  WatchedLog,
} from '#eventsourcing';
import { keysFit } from '#partners';
import type { Config, Role } from '../config.js';
import { patiently } from '../patience.js';
import { placeOf } from './place-of.js';
import type { AcceptedLoss } from '../projector/projector-thread.js';

/** The log with whoever watches over whose it is. */
export interface GuardedLog {
  readonly log: WatchedLog;
  readonly guard: LogGuard;
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
  { accept: accepted, role, dataDir }: Pick<Config, 'accept' | 'role' | 'dataDir'>,
  logger: Logger,
): Promise<GuardedLog> {
  const waits = (words: string): void => logger.info(`Holdfast ${words}`);
  const mark = new LogMark(facts);
  const ownership = new Ownership({
    log,
    facts,
    mark,
    keyring,
    keysFit: (event) => keysFit(keyring, event),
    waits,
  });
  let lease: LogLease | undefined;
  const takeLease = async (): Promise<void> => {
    if (log.lease === undefined || lease !== undefined) return;
    const { lease: register } = log;
    lease = await patiently(() => LogLease.take(register, holderOf(role, dataDir), waits));
  };
  const notice = (finding: Finding): void => logger.error({ finding }, toldOf(finding));
  const before = await readAccepted(facts);
  const guard = new LogGuard({
    check: () => ownership.check(),
    accepted,
    before,
    notice,
    lease: {
      get held() {
        return lease?.held ?? true;
      },
      hold: async () => lease?.hold(),
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
  if (await patiently(() => ownership.isOurs())) await takeLease();
  for (const finding of await patiently(() => ownership.begin(accepted))) guard.refuse(finding);
  if (!guard.refused) await takeLease();
  const watched = new WatchedLog(log, guard, (seen) => mark.saw(seen));
  return {
    log: watched,
    guard,
    async close() {
      guard.close();
      watched.rest();
      if (!guard.refused) await mark.close();
      await lease?.close();
    },
  };
}

function holderOf(role: Role, dataDir: string): LeaseHolder {
  const what = role === 'all' ? 'a whole service' : role === 'api' ? 'an API' : 'a worker';
  return {
    mode: role === 'all' ? 'alone' : 'shared',
    place: placeOf(dataDir),
    process: randomUUID(),
    words: `${what} on ${hostname()} with the data folder ${resolve(dataDir)}, process ${process.pid}`,
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
