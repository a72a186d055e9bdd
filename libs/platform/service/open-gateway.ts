import type { Logger } from 'pino';
import { describeFinding, type Tracer, Unavailable } from '#eventsourcing';
import { INSTALLATION_ENTRY, keptLedger, LedgerWatch } from '#ownership';
import { GatewayOutcomeUnknown, isKnownToLog, type PaymentGateway } from '#purchasing';
import type { ReadLedger } from '../audit/ledger-audit.js';
import type { Config } from '../config.js';
import { GuardedGateway } from '../guarded-gateway.js';
import type { Figures } from '../metrics/figures.js';
import { MeasuredGateway } from '../metrics/measured-gateway.js';
import type { Surroundings } from '../surroundings.js';
import { TracedGateway } from '../tracing/traced-gateway.js';
import type { OpenedEngine } from './open-engine.js';

/** The payment gateway, with the watch over its ledger. */
export interface GatewayOfService {
  readonly gateway: PaymentGateway;
  /** Tells whether the gateway keeps the log's ledger. */
  readonly ledger: Pick<LedgerWatch, 'findings'>;
  /** The ledger itself, to be read; undefined if the gateway keeps none that can be asked. */
  readonly lines: ReadLedger | undefined;
  close(): Promise<void>;
}

/**
 * Opens the gateway, compares its ledger with the log, and writes into the data folder of a whole service that it works on it.
 * @throws Error for people to read
 */
export async function openGateway(
  config: Config,
  { engines, engine, clock, owned: { log, guard } }: OpenedEngine,
  logger: Logger,
  around: Surroundings,
  figures: Figures | undefined,
  tracer?: Tracer,
): Promise<GatewayOfService> {
  const { time, randomness } = engine;
  const installation = await engines.keyValues.insert(INSTALLATION_ENTRY, randomness.uuid());
  const opened = await around.openGateway(config, { clock, installation, time });
  const copied = config.role === 'all' ? around.copied(config, engines) : undefined;
  if (copied !== undefined) logger.warn(copied);
  if (config.accept.size > 0) logger.info({ findings: [...config.accept] }, 'this start accepts findings (ACCEPT)');
  const kept =
    opened.ledger &&
    keptLedger(opened.ledger, {
      keyValues: engines.keyValues,
      isKnown: (entry) => isKnownToLog(log, entry),
      mayWrite: () => !guard.refused,
      time,
    });
  const isNewHere = opened.ledger?.place === 'here' && opened.ledger.isNew;
  const ledger = new LedgerWatch({
    log: engines.log,
    kept,
    refuses: (finding) => !config.accept.has(finding.code) && guard.refuse(finding),
    lost: (lines) =>
      logger.warn(
        { lines },
        'the event log does not know what the payment gateway has done; an operator has accepted that',
      ),
    // A new ledger in the folder is accepted: the survey allowed it.
    accepts: ({ code }) => config.accept.has(code) || isNewHere,
    notice: (finding) => logger.error({ finding }, describeFinding(finding)),
    time,
  });
  if (!guard.refused) await ledger.passed().catch(unlessSaid);
  // Not before: it moves on what is known of a ledger in the folder.
  const folder =
    config.role !== 'all' || guard.refused ? undefined : await around.recordFolder(config, engines, opened);
  const measured = figures === undefined ? opened : new MeasuredGateway(opened, figures.gateway, time);
  return {
    gateway: new GuardedGateway(tracer === undefined ? measured : new TracedGateway(measured, tracer), guard, ledger),
    ledger,
    lines: opened.ledger ?? around.readLedger?.(config),
    async close() {
      ledger.close();
      await kept?.marks.close();
      await opened.close();
      await folder?.close();
    },
  };
}

/** Ignores two errors: `LedgerWatch` reports a wrong ledger itself, and it asks a silent gateway again before the next call. */
function unlessSaid(error: unknown): void {
  if (!(error instanceof Unavailable || error instanceof GatewayOutcomeUnknown)) throw error;
}
