import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { OpenedEngine } from '../service/open-engine.js';
import type { Surroundings } from '../surroundings.js';
import { LedgerAudit, type ReadLedger } from './ledger-audit.js';
import { SelfAudit, type SelfAuditStatus } from './self-audit.js';
import { Verification } from './verification.js';

/** The audits of a process. */
export interface Audits {
  /** Checks the whole log at once. */
  readonly verification: Verification;
  /** What the self-audit has found; undefined if none runs in this installation. */
  selfAudit(): SelfAuditStatus | undefined;
  close(): Promise<void>;
}

/**
 * Opens the audits. The self-audit runs once per installation: in the process that does everything, or in the worker that has its
 * lease; others follow what that one notes.
 */
export function openAudits(
  config: Config,
  { engines, engine, owned, clock }: OpenedEngine,
  { gateway: open, ledger: lines }: { readonly gateway: string; readonly ledger: ReadLedger | undefined },
  logger: Logger,
  around: Surroundings,
): Audits {
  const { log, guard, acceptedLoss } = owned;
  const { time, views: readers } = engine;
  const digests = Object.fromEntries(around.snapshots().folds.map(({ decider, digest }) => [decider.category, digest]));
  const data = { locations: engines.locations, digests, accepted: acceptedLoss };
  const { startAudit: start } = around;
  const ledger = new LedgerAudit(log, lines);
  const gateway = lines?.gateway ?? open;
  const verification = new Verification({
    start,
    data,
    log,
    readers,
    ledger,
    gateway,
    time,
    processors: availableParallelism(),
  });
  const isOff = config.selfAudit === 'off' || around.readsOnly === true || guard.refused;
  if (isOff || start === undefined) return { verification, selfAudit: () => undefined, close: () => Promise.resolve() };
  const closing = new AbortController();
  const { keyValues, shared } = engines;
  const audit = new SelfAudit({
    ...{ start, data, log, readers, keyValues, ledger, gateway, logger, time, clock },
    found: (finding) => void guard.refuse(finding),
    mode: config.selfAudit,
  });
  const lease = config.role === 'worker' ? shared?.leases.hold('self-audit', (held) => audit.run(held)) : undefined;
  const running = config.role === 'all' ? audit.run(closing.signal) : audit.follow(closing.signal);
  return {
    verification,
    selfAudit: () => audit.status,
    async close() {
      closing.abort();
      await lease?.close();
      await running;
    },
  };
}
