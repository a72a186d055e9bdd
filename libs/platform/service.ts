import type { Logger } from 'pino';
import { retryWhileUnavailable, type Tracer, type TriedWork, type WorkBook } from '#eventsourcing';
import { AnswerForm } from '#http';
import { OperationsSettings } from '#operations';
import type { LedgerWatch, LogGuard } from '#ownership';
import { PeopleSettings } from '#people';
import { type PaymentGateway, PurchasingSettings } from '#purchasing';
import { type Audits, openAudits } from './audit/open-audits.js';
import { CopiedParts } from './backup/copied-parts.js';
import { OrderedBackups } from './backup/ordered-backups.js';
import type { Config, Role } from './config.js';
import type { EndWarnings } from './end-warnings.js';
import type { Engine } from './engine.js';
import { Figures } from './metrics/figures.js';
import { openMetrics, type ServiceMetrics } from './metrics/open-metrics.js';
import type { KeyRotation } from './keys/key-rotation.js';
import { type ContextParts, openContexts } from './service/open-contexts.js';
import { openEndWarnings } from './service/open-end-warnings.js';
import { openEraser, type OpenedEraser } from './service/open-eraser.js';
import { openEngine } from './service/open-engine.js';
import { openKeyRotation } from './service/open-key-rotation.js';
import { openGateway } from './service/open-gateway.js';
import { openRunners, type Runners } from './service/open-runners.js';
import type { Surroundings } from './surroundings.js';
import { openTracedMailer, openTraces } from './tracing/open-traces.js';

/** The settings of the contexts. */
export interface Settings {
  readonly people: PeopleSettings;
  readonly purchasing: PurchasingSettings;
  readonly operations: OperationsSettings;
}

/** The parts of a running process. */
export interface Service extends ContextParts, Pick<Runners, 'projections' | 'queues' | 'isRedisAway' | 'clockMoved'> {
  readonly role: Role;
  /** Whether the start has made the first tokens and the demo, and the views have reached them. */
  initialized: boolean;
  readonly engine: Engine;
  /** Set if this process exports traces. */
  readonly tracer: Tracer | undefined;
  /** The form of the answers of this process. */
  readonly answerForm: AnswerForm;
  /** What each context gets from the configuration. */
  readonly settings: Settings;
  readonly gateway: PaymentGateway;
  /** Why the log takes no more appends; undefined while it does. */
  readonly logFailure: () => string | undefined;
  /** Tells whether decisions on the log are allowed. */
  readonly guard: LogGuard;
  /** Tells whether the gateway keeps the log's ledger. */
  readonly ledger: Pick<LedgerWatch, 'findings'>;
  /** Whether the log was refused, but a start would find nothing against it now. @throws Unavailable if it cannot answer */
  isRightAgain(): Promise<boolean>;
  /** Whether appends get no answer from the log. */
  readonly logStalled: () => boolean;
  /** Messages: what the log's server refuses to write now. */
  readonly logRefusals: () => readonly string[];
  /** Checks of the whole log. */
  readonly audits: Pick<Audits, 'verification' | 'selfAudit'>;
  /** Rotates the keys of the installation. */
  readonly keys: KeyRotation;
  /** Warns of what ends soon. */
  readonly endWarnings: Pick<EndWarnings, 'start'>;
  /** Erases persons. */
  readonly erasing: Pick<OpenedEraser, 'eraser' | 'shut' | 'start'>;
  /** What a backup needs from this process. */
  readonly copied: CopiedParts;
  /** Backups that operators order. */
  readonly backups: OrderedBackups;
  /** What this process measures. */
  readonly metrics: ServiceMetrics;
  /** The open work of all lists. */
  readonly work: WorkBook;
  /** Work that keeps failing. */
  readonly stuck: () => Promise<readonly TriedWork[]>;
  /** Starts due work, if this process does any. */
  startWork(): void;
  close(): Promise<void>;
}

/**
 * Opens the configured engines, and builds the parts of the process on them: the engine, the contexts with their gateway, and
 * what runs by itself.
 * @throws Error for people to read if an engine cannot be opened, or if this build cannot use its data
 */
export async function openService(config: Config, logger: Logger, around: Surroundings): Promise<Service> {
  const ipLocations = await around.openIpLocations(config);
  const openMailer = around.mailer(config);
  const figures = config.metrics ? new Figures() : undefined;
  const traces = await openTraces(config, logger, around);
  const opened = await openEngine(config, logger, around, figures, traces);
  const { engine, engines, owned } = opened;
  const { guard, log } = owned;
  const paying = await openGateway(config, opened, logger, around, figures, traces?.tracer);
  const { gateway, ledger } = paying;
  const tracedMailer = openTracedMailer(openMailer, traces?.tracer);
  const contexts = await openContexts(
    config,
    opened,
    { gateway, openMailer: tracedMailer, ipLocations, figures },
    logger,
  );
  const erasing = await openEraser(config, opened, contexts.parts.mailer, logger, around);
  const { refused } = guard;
  const runners = await openRunners(config, opened, contexts, logger, around, traces);
  const { projections, runner, queues, isRedisAway } = runners;
  const audits = openAudits(config, opened, { gateway: gateway.name, ledger: paying.lines }, logger, around);
  const metrics = openMetrics(config, opened, { figures, runners, audits }, around);
  const copied = new CopiedParts(engines.copied, () => log.head());
  const answerForm = new AnswerForm();
  const { publicUrl } = contexts.parts;
  const keys = openKeyRotation(config, opened, { publicUrl, form: answerForm }, logger);
  const endWarnings = openEndWarnings(config, engine, logger);
  const backups = new OrderedBackups(config, copied, logger, engine.time);
  return {
    role: config.role,
    initialized: false,
    engine,
    tracer: traces?.tracer,
    answerForm,
    settings: settingsOf(config),
    gateway,
    ...contexts.parts,
    projections,
    logFailure: opened.logFailure,
    guard,
    ledger,
    isRightAgain: () => owned.isRightAgain(),
    logStalled: () => log.stalled,
    logRefusals: () => log.refusals,
    queues,
    isRedisAway,
    audits,
    keys,
    endWarnings,
    erasing,
    copied,
    backups,
    metrics,
    work: runners.work,
    stuck: () => runners.work.stuck(),
    clockMoved: () => runners.clockMoved(),
    startWork() {
      if (refused) return;
      engine.loop
        .renewSnapshots()
        .catch((error: unknown) => logger.warn({ err: error }, 'the snapshots of an earlier build stay'));
      if (config.role === 'api' || !config.timers) return;
      runner.start();
      retryWhileUnavailable(engine.time, () => contexts.planDailyUpdate()).catch((error: unknown) =>
        logger.error({ err: error }, 'the daily update could not be planned'),
      );
    },
    async close() {
      runners.stopWatch();
      backups.close();
      endWarnings.close();
      await metrics.close();
      await keys.close();
      contexts.stopMails();
      // Work that is under way may wait for a mail.
      await Promise.all([contexts.parts.mailer.close(), runners.closeTimers()]);
      await contexts.parts.keyUses.close();
      await contexts.parts.operatorTokenUses.close();
      await erasing.close();
      await audits.close();
      await engine.loop.close();
      await paying.close();
      await runners.close();
      await owned.close();
      await engines.close();
      await traces?.close();
    },
  };
}

function settingsOf({ signupCredit, passwordHashing, gatewayTimeout, testClock, shown }: Config): Settings {
  return {
    people: new PeopleSettings(signupCredit, passwordHashing),
    purchasing: new PurchasingSettings(gatewayTimeout),
    operations: new OperationsSettings(testClock, shown),
  };
}
