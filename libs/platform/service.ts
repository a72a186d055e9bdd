import { join } from 'node:path';
import type { Logger } from 'pino';
import { EmbeddedLog, EmbeddedState, EmbeddedViewReaders, InProcessTimers, lockDataFolder } from '#adapters/embedded';
import { MmdbLocations } from '#adapters/geoip';
import { HttpSandboxGateway, SandboxGateway } from '#adapters/sandbox-gateway';
import { Deals, dealsView, RegionFinder, Regions, regionsView } from '#catalogue';
import {
  CommandLoop,
  commandWork,
  Engine,
  followersWork,
  Freshness,
  Keyring,
  loadMasterKey,
  PersonalData,
  SteppableClock,
  WorkRunner,
  type Clock,
  type OpenWork,
  type ProjectorReport,
  type StuckWork,
} from '#eventsourcing';
import { apiKeysView, PartnerKeys, PartnerPasswords, v3PasswordsView } from '#partners';
import { Charging } from '#purchasing';
import { OperatorTokens, operatorSecretsView, SERVICE_CLOCK, serviceClock } from '#operations';
import type { PaymentGateway } from '#purchasing';
import type { Config } from './config.js';
import { ProjectorThread } from './embedded/projector-thread.js';
import { codec, followers, openFollowers, workLists } from './registry.js';
import { LEDGER_FILE } from './sandbox-gateway.js';

/** The parts of a running service, put together. */
export interface Service {
  readonly engine: Engine;
  readonly gateway: PaymentGateway;
  readonly deals: Deals;
  readonly regions: Regions;
  readonly regionFinder: RegionFinder;
  readonly partnerKeys: PartnerKeys;
  readonly partnerPasswords: PartnerPasswords;
  readonly operatorTokens: OperatorTokens;
  /** What the projector last told; undefined before its first word. */
  readonly projection: () => ProjectorReport | undefined;
  /** Why the log takes no more appends; undefined while it does. */
  readonly logFailure: () => string | undefined;
  /** Work that keeps failing. */
  readonly stuck: () => readonly StuckWork[];
  /** The clock was moved: deadlines follow at once. */
  clockMoved(): void;
  /** Begins to do what is due. */
  startWork(): void;
  close(): Promise<void>;
}

/**
 * Opens the embedded default on its data folder: the one place that picks adapters.
 * @throws Error in words when the folder is taken, or holds what this build cannot use
 */
export async function openService(config: Config, logger: Logger): Promise<Service> {
  const ipLocations = config.geoipDb === undefined ? undefined : await MmdbLocations.open(config.geoipDb);
  const folder = lockDataFolder(config.dataDir);
  const inFolder = (name: string): string => join(config.dataDir, name);
  const keyring = Keyring.of(loadMasterKey({ fromEnvironment: config.masterKey, file: inFolder('master.key') }));
  const state = await EmbeddedState.open(inFolder('state.db'), keyring);
  let projection: ProjectorReport | undefined;
  let logFailure: string | undefined;
  const appended = { tell: (): void => undefined };
  const log = await EmbeddedLog.open({
    file: inFolder('events.db'),
    splitAppends: config.splitAppends,
    failpoint: config.failAfterAppend === undefined ? undefined : { afterAppend: config.failAfterAppend },
    onAppended: () => appended.tell(),
    onFailed: (error) => {
      logFailure = error.message;
      logger.fatal({ err: error }, 'the event log has failed; restart the service once the disk is well');
    },
  });
  const clock = new SteppableClock();
  const loop = new CommandLoop({ log, codec, clock, followers });
  if (config.testClock) clock.follow((await loop.read(serviceClock, SERVICE_CLOCK)).ahead);

  const views = EmbeddedViewReaders.open(inFolder('views'));
  const freshness = new Freshness();
  const engine = new Engine({
    loop,
    log,
    codec,
    views,
    freshness,
    clock,
    keyring,
    personalData: new PersonalData(state.keys),
    vault: state.vault,
    records: state.records,
    passwordHashing: config.passwordHashing,
    site: {
      publicUrl: config.publicUrl ?? '',
      signupCredit: config.signupCredit,
      gatewayTimeout: config.gatewayTimeout,
      testClock: config.testClock,
    },
  });
  const gateway = await openGateway(config, inFolder(LEDGER_FILE), clock);
  const deals = new Deals(engine);
  const regions = new Regions(engine);
  const partnerKeys = new PartnerKeys(engine);
  const partnerPasswords = new PartnerPasswords(engine);
  const operatorTokens = new OperatorTokens(engine);
  const timers = new InProcessTimers(clock, {
    enabled: config.timers,
    onError: (error) => logger.error({ err: error }, 'a work list could not be worked on'),
  });
  const lists: OpenWork[] = [
    ...workLists.map((list) => commandWork(list, loop, clock)),
    ...new Charging(engine, gateway).work,
    followersWork(openFollowers, { followers, log, codec, loop, clock }),
  ];
  const runner = new WorkRunner({ lists, readers: views, timers, clock });

  const projector = new ProjectorThread(
    { logFile: inFolder('events.db'), viewsFolder: inFolder('views') },
    {
      report(report) {
        projection = report;
        views.refresh();
        if (report.changed.includes(dealsView.name)) deals.forget();
        if (report.changed.includes(regionsView.name)) regions.forget();
        if (report.changed.includes(apiKeysView.name)) partnerKeys.forget();
        if (report.changed.includes(v3PasswordsView.name)) partnerPasswords.forget();
        if (report.changed.includes(operatorSecretsView.name)) operatorTokens.forget();
        freshness.reached(report.views.filter((view) => view.state !== 'building'));
        for (const [list, due] of Object.entries(report.due)) runner.noticed(list, due);
      },
      broken: (error) => logger.error({ err: error }, 'the projector broke; it is started again'),
    },
  );
  appended.tell = () => projector.notify();

  return {
    engine,
    gateway,
    deals,
    regions,
    regionFinder: new RegionFinder(regions, ipLocations),
    partnerKeys,
    partnerPasswords,
    operatorTokens,
    projection: () => projection,
    logFailure: () => logFailure,
    stuck: () => runner.stuck,
    clockMoved: () => timers.clockMoved(),
    startWork: () => runner.start(),
    async close() {
      await timers.close();
      await loop.close();
      await gateway.close();
      await projector.close();
      await views.close();
      await log.close();
      await state.close();
      folder.release();
    },
  };
}

/** The sandbox gateway: where the configuration says that it runs, or in this process. */
function openGateway(config: Config, ledger: string, clock: Clock): Promise<SandboxGateway | HttpSandboxGateway> {
  const { sandboxGatewayUrl: url, gatewayTimeout: timeout } = config;
  if (url !== undefined) return Promise.resolve(new HttpSandboxGateway(url, timeout));
  return SandboxGateway.open({ ledger, timeout, now: () => clock.now() });
}
