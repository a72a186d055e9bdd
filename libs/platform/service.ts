import type { Queue } from 'bullmq';
import type { Logger } from 'pino';
import { Deals, type IpLocations, RegionFinder, Regions } from '#catalogue';
import {
  CommandLoop,
  followersWork,
  Freshness,
  LogFollower,
  type LogListener,
  PersonalData,
  SteppableClock,
  WorkRunner,
  openWork,
  type Projections,
  type ProjectorReport,
  type StuckWork,
  describeFinding,
  type SnapshotOptions,
  Unavailable,
  ViewChanges,
  Reader,
  Writer,
  isLossKnown,
  retryWhileUnavailable,
} from '#eventsourcing';
import { PublicUrl } from '#http';
import { BatchDelivery, BatchRecipients, type OnRefused } from '#mailing';
import type { Mailer } from '#mailing/mail';
import { OperationsSettings, OperatorTokens } from '#operations';
import { aheadAfter, SERVICE_CLOCK, serviceClock } from '#operations/model';
import {
  ClockWatch,
  INSTALLATION_ENTRY,
  keptLedger,
  LedgerWatch,
  type LogGuard,
  LogReports,
  openOwnedLog,
} from '#ownership';
import { KeyUses, PartnerKeys, PartnerPasswords } from '#partners';
import { AccessTokens, PeopleSettings } from '#people';
import {
  abandoning,
  Charging,
  destroyNumbers,
  GatewayOutcomeUnknown,
  isKnownToLog,
  PurchasingSettings,
  Tries,
  type PaymentGateway,
} from '#purchasing';
import type { Engine } from './engine.js';
import type { Config, Role } from './config.js';
import type { Engines } from './engines/engines.js';
import { stateEngineOf } from './engines/state-engines.js';
import { logEngineOf } from './engines/log-engines.js';
import { whereIs, type Server } from './engines/named-engine.js';
import { leaseHolder } from './engines/lease-holder.js';
import { warnOfFutureEvents } from './future-events.js';
import { GuardedGateway } from './guarded-gateway.js';
import { guardedKeys, guardedVault } from './guarded-secrets.js';
import { NO_PROJECTIONS, openProjections, type ProjectionsHere } from './projector/projections.js';
import { timersEngineOf } from './engines/timers-engines.js';
import { EngineWatch, type Watched } from './log/engine-watch.js';
import { ViewLogger } from './log/view-logger.js';
import { hostsOf, logWaits } from './log/log-waits.js';
import { machineClock } from './machine-clock.js';
import { subscriptionMailsOf } from './mail/subscription-mails.js';
import type { Surroundings } from './surroundings.js';
import { codec, followers, openFollowers, workLists } from './registry.js';

/** The settings of the contexts. */
export interface Settings {
  readonly people: PeopleSettings;
  readonly purchasing: PurchasingSettings;
  readonly operations: OperationsSettings;
}

/** The parts of a running process. */
export interface Service {
  readonly role: Role;
  /** Whether the start has made the first tokens and the demo, and the views have reached them. */
  initialized: boolean;
  readonly engine: Engine;
  readonly publicUrl: PublicUrl;
  /** What each context gets from the configuration. */
  readonly settings: Settings;
  readonly gateway: PaymentGateway;
  readonly charging: Charging;
  /** Counts declined tries to pay. */
  readonly tries: Tries;
  /** What mails leave by. */
  readonly mailer: Mailer;
  readonly deals: Deals;
  readonly regions: Regions;
  readonly regionFinder: RegionFinder;
  readonly partnerKeys: PartnerKeys;
  readonly partnerPasswords: PartnerPasswords;
  readonly keyUses: KeyUses;
  readonly accessTokens: AccessTokens;
  readonly operatorTokens: OperatorTokens;
  /** The projector, which may run in another process. */
  readonly projections: Projections & Pick<ProjectionsHere, 'silentFor' | 'failure'>;
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
  /** The queues of the work lists; none without Redis. */
  readonly queues: readonly Queue[];
  /** Whether Redis is away; undefined where timers of the process do without it. */
  readonly isRedisAway: () => boolean | undefined;
  /** Work that keeps failing. */
  readonly stuck: () => Promise<readonly StuckWork[]>;
  /** Tells the timers that somebody moved the clock. */
  clockMoved(): void;
  /** Starts due work, if this process does any. */
  startWork(): void;
  close(): Promise<void>;
}

/**
 * Opens the configured engines, and builds the parts of the process on them.
 * @throws Error for people to read if an engine cannot be opened, or if this build cannot use its data
 */
export async function openService(config: Config, logger: Logger, around: Surroundings): Promise<Service> {
  const { machine } = around;
  const { time, randomness } = machine;
  const ipLocations = await openIpLocations(config);
  const openMailer = around.mailer(config);
  let logFailure: string | undefined;
  const reports = new LogReports();
  const appended = { tell: (): void => undefined };
  const viewLogger = new ViewLogger(logger);
  const engines = await around.openEngines(config, logger, {
    appended: () => appended.tell(),
    broken: () => reports.broken(),
    found: (finding) => reports.found(finding),
    failed(error) {
      logFailure = error.message;
      logger.fatal({ err: error }, 'the event log has failed; check the disk, then restart the service');
    },
    hindered(reason) {
      logFailure = reason;
      if (reason === undefined) logger.warn('there is room for the event log again; it continues');
      else logger.error(reason);
    },
  });
  const { views, keyring } = engines;
  const { guard, log, acceptedLoss, ...guarded } = await openOwnedLog(engines, {
    accepted: config.accept,
    me: leaseHolder(config, engines.place, randomness),
    keysShared: !stateEngineOf(config).inFolder,
    reports,
    logger,
    machine,
  });
  const clock = new SteppableClock(machineClock(time, config.testTime));
  const snapshots: SnapshotOptions = {
    store: engines.snapshots,
    ...around.snapshots(),
    isLossAccepted: (finding, seen) => isLossKnown(finding, seen, acceptedLoss),
    failed: (error) => logger.warn({ err: error }, 'a snapshot cannot be written or read: a start takes longer'),
  };
  const loop = new CommandLoop({ log, codec, clock, machine, followers, guard, snapshots });
  const freshness = new Freshness(time);
  const changes = new ViewChanges();
  const writer = new Writer({ loop, log, codec, clock, randomness });
  const reader = new Reader({ views, freshness, log });
  const personalData = new PersonalData(guardedKeys(engines.keys, guard), randomness);
  const vault = guardedVault(engines.vault, guard);
  const engine: Engine = {
    writer,
    reader,
    loop,
    log,
    positions: log,
    codec,
    views,
    changes,
    freshness,
    clock,
    time,
    randomness,
    keyring,
    personalData,
    vault,
    records: engines.records,
  };
  const installation = await engines.keyValues.insert(INSTALLATION_ENTRY, randomness.uuid());
  const openedGateway = await around.openGateway(config, clock, installation);
  const copied = config.role === 'all' ? around.copied(config, engines) : undefined;
  if (copied !== undefined) logger.warn(copied);
  if (config.accept.size > 0) logger.info({ findings: [...config.accept] }, 'this start accepts findings (ACCEPT)');
  const kept =
    openedGateway.ledger &&
    keptLedger(openedGateway.ledger, {
      keyValues: engines.keyValues,
      isKnown: (entry) => isKnownToLog(log, entry),
      mayWrite: () => !guard.refused,
      time,
    });
  const isNewHere = openedGateway.ledger?.place === 'here' && openedGateway.ledger.isNew;
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
  const gateway = new GuardedGateway(openedGateway, guard, ledger);
  if (!guard.refused) await ledger.passed().catch(unlessSaid);
  // Not before: it moves on what is known of a ledger in the folder.
  const folder =
    config.role !== 'all' || guard.refused ? undefined : await around.recordFolder(config, engines, openedGateway);
  const tries = new Tries(reader, clock, time, config.declineLimits);
  const charging = new Charging(writer, keyring, vault, gateway, tries);
  const mailer = await openMailer(clock, logger);
  const regions = new Regions(reader, changes);
  const publicUrl = new PublicUrl(config.publicUrl ?? '');
  const onRefused: OnRefused = (streams, count) =>
    logger.warn({ streams, count }, 'mails that need refused streams are not sent: see /health/ready');
  const recipients = new BatchRecipients(writer, keyring, clock, personalData, publicUrl);
  const batches = new BatchDelivery(writer, clock, time, mailer, recipients, onRefused);
  const caches = {
    deals: new Deals(reader, changes, publicUrl),
    regions,
    partnerKeys: new PartnerKeys(writer, reader, keyring, changes, randomness),
    partnerPasswords: new PartnerPasswords(writer, reader, keyring, changes, randomness),
    keyUses: new KeyUses(writer, clock, engines.keyValues, () => !guard.refused),
    accessTokens: new AccessTokens(writer, reader, keyring, clock, changes),
    operatorTokens: new OperatorTokens(writer, reader, keyring, changes),
  };

  const { dailyUpdateAt } = config;
  const { delivery, dailyUpdate } = subscriptionMailsOf(engine, {
    ...caches,
    mailer,
    publicUrl,
    dailyUpdateAt,
    onRefused,
  });
  const works = [
    ...charging.work,
    abandoning(writer),
    destroyNumbers(writer, reader, vault),
    batches.work,
    delivery.work,
    dailyUpdate.work,
    followersWork(openFollowers, { followers, log, codec, loop, clock, randomness }),
  ];
  const lists = openWork(workLists, works, engine);
  // A log that is refused at the start is not followed, and the data beside it stays as it is.
  const { refused } = guard;
  const ticking = refused ? { ...config, redisUrl: undefined, timers: false } : config;
  const timersEngine = timersEngineOf(ticking);
  const { timers, queues, isRedisAway } = await logWaits({ log: logger, time }, whereIs(timersEngine, ticking), () =>
    around.openTimers(ticking, { clock, log, logger, lists: lists.map(({ name }) => name), time }),
  );
  const clocks =
    config.testTime === undefined
      ? new ClockWatch(
          clock,
          (id) => loop.hasDecided(id),
          (finding) => guarded.doubtClock(finding),
        )
      : undefined;
  // The follower starts before the clock is read: so it misses no move in between.
  const listener: LogListener = {
    event(event, written) {
      loop.outdate(event);
      tries.note(event);
      const ahead = config.testClock ? aheadAfter(event) : undefined;
      if (ahead !== undefined) {
        clock.follow(ahead);
        timers.clockMoved();
      }
      clocks?.check(event, written);
    },
    reached: (position) => freshness.followedTo(position),
    found: (finding) => guard.refuse(finding),
    failed(error) {
      guard.doubt();
      logger.warn({ err: error }, 'the event log cannot be followed at the moment');
    },
  };
  const follows = config.role !== 'all' && !refused;
  const follower = follows
    ? await retryWhileUnavailable(time, () => LogFollower.start(log, listener, time))
    : undefined;
  if (config.testClock && !refused)
    clock.follow((await retryWhileUnavailable(time, () => loop.read(serviceClock, SERVICE_CLOCK))).ahead);
  if (!refused) await retryWhileUnavailable(time, () => warnOfFutureEvents(log, clock, logger));
  const runner = new WorkRunner({ lists, readers: views, timers, clock, mayLag: follows && config.testClock });

  const projections = refused
    ? NO_PROJECTIONS
    : openProjections(
        config.role,
        { ...engines, accepted: acceptedLoss },
        logger,
        timers.wants,
        {
          reported(report: ProjectorReport) {
            viewLogger.logChanges(report);
            views.refresh();
            changes.tell(report.changed);
            changes.live(report.views);
            freshness.reached(report.views.filter(({ generation }) => generation !== null));
          },
          doubt: () => guard.doubt(),
          found(finding) {
            if (finding.kind === 'view') void guard.refuseAfterCheck(finding);
            else guard.refuse(finding);
          },
          due(rows) {
            for (const [list, due] of Object.entries(rows)) runner.noticed(list, due);
          },
        },
        time,
        around.startProjector,
      );
  // As at a start, no views follow a refused log.
  guard.whenRefused(() => void projections.rest());
  // The server may have been replaced by an older copy since the check of this start, and nothing was under way that would break.
  if (!refused) guard.doubt();
  const watch = new EngineWatch(watchedOf(config, engines, around), logger, time);
  appended.tell = () => projections.notify();
  freshness.onWait = () => projections.hurry(() => freshness.isAwaited);
  views.onDamage = (damage) => projections.damaged(damage);

  return {
    role: config.role,
    initialized: false,
    engine,
    publicUrl,
    settings: settingsOf(config),
    gateway,
    charging,
    tries,
    mailer,
    ...caches,
    regionFinder: new RegionFinder(regions, ipLocations),
    projections,
    logFailure: () => logFailure,
    guard,
    ledger,
    isRightAgain: () => guarded.isRightAgain(),
    logStalled: () => log.stalled,
    logRefusals: () => log.refusals,
    queues,
    isRedisAway,
    stuck: () => runner.stuck(),
    clockMoved: () => timers.clockMoved(),
    startWork() {
      if (refused) return;
      loop
        .renewSnapshots()
        .catch((error: unknown) => logger.warn({ err: error }, 'the snapshots of an earlier build stay'));
      if (config.role === 'api' || !config.timers) return;
      runner.start();
      retryWhileUnavailable(time, async () => {
        if (!delivery.isStopping) await dailyUpdate.plan();
      }).catch((error: unknown) => logger.error({ err: error }, 'the daily update could not be planned'));
    },
    async close() {
      watch.close();
      batches.stop();
      delivery.stop();
      // Work that is under way may wait for a mail.
      await Promise.all([mailer.close(), timers.close()]);
      await caches.keyUses.close();
      await loop.close();
      ledger.close();
      await kept?.marks.close();
      await openedGateway.close();
      await folder?.close();
      await follower?.close();
      await projections.close();
      await guarded.close();
      await engines.close();
    },
  };
}

function settingsOf({ signupCredit, passwordHashing, gatewayTimeout, testClock }: Config): Settings {
  return {
    people: new PeopleSettings(signupCredit, passwordHashing),
    purchasing: new PurchasingSettings(gatewayTimeout),
    operations: new OperationsSettings(testClock),
  };
}

/** The servers that a process needs. Redis is not among them: its client reports itself. */
function watchedOf(
  config: Config,
  { log, keyValues }: Pick<Engines, 'log' | 'keyValues'>,
  { reach }: Pick<Surroundings, 'reach'>,
): Watched[] {
  const { sandboxGatewayUrl: url } = config;
  const gateway = url === undefined ? undefined : { name: 'the sandbox gateway', url };
  const at = (server: Server | undefined, ask: (url: string) => Promise<unknown>): Watched[] =>
    server === undefined ? [] : [{ engine: `${server.name} at ${hostsOf(server.url)}`, ask: () => ask(server.url) }];
  return [
    ...at(logEngineOf(config).server(config), () => log.head()),
    ...at(stateEngineOf(config).server(config), () => keyValues.get(INSTALLATION_ENTRY)),
    // Any answer shows that it runs.
    ...at(gateway, reach),
  ];
}

/** Opens the file with the places of IP addresses, if one is configured. */
async function openIpLocations({ geoipDb }: Config): Promise<IpLocations | undefined> {
  if (geoipDb === undefined) return undefined;
  const { MmdbLocations } = await import('#adapters/geoip');
  return MmdbLocations.open(geoipDb);
}

/** Ignores two errors: `LedgerWatch` reports a wrong ledger itself, and it asks a silent gateway again before the next call. */
function unlessSaid(error: unknown): void {
  if (!(error instanceof Unavailable || error instanceof GatewayOutcomeUnknown)) throw error;
}
