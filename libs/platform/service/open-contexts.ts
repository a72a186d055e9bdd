import type { Logger } from 'pino';
import { Deals, type IpLocations, RegionFinder, Regions } from '#catalogue';
import { ConsoleSessions } from '#console';
import { type Clock, followersWork, openWork, type OpenWork } from '#eventsourcing';
import { PublicUrl } from '#http';
import { BatchDelivery, BatchRecipients, type OnRefused } from '#mailing';
import type { Mailer } from '#mailing/mail';
import { OperatorTokens, OperatorTokenUses } from '#operations';
import { KeyUses, PartnerKeys, PartnerPasswords } from '#partners';
import { AccessTokens } from '#people';
import { abandoning, Charging, destroyNumbers, type PaymentGateway, Tries } from '#purchasing';
import type { Config } from '../config.js';
import type { Figures } from '../metrics/figures.js';
import { MeasuredMailer } from '../metrics/measured-mailer.js';
import { subscriptionMailsOf } from '../mail/subscription-mails.js';
import { codec, followers, openFollowers, workLists } from '../registry.js';
import type { OpenedEngine } from './open-engine.js';

/** What contexts remember of views, and count. */
interface Remembered {
  readonly deals: Deals;
  readonly regions: Regions;
  readonly partnerKeys: PartnerKeys;
  readonly partnerPasswords: PartnerPasswords;
  readonly keyUses: KeyUses;
  readonly accessTokens: AccessTokens;
  readonly operatorTokens: OperatorTokens;
  readonly operatorTokenUses: OperatorTokenUses;
  readonly consoleSessions: ConsoleSessions;
}

/** The parts of the business that a process has once. */
export interface ContextParts extends Remembered {
  readonly publicUrl: PublicUrl;
  readonly charging: Charging;
  /** Counts declined tries to pay. */
  readonly tries: Tries;
  /** What mails leave by. */
  readonly mailer: Mailer;
  readonly regionFinder: RegionFinder;
}

/** The contexts of a process, and their work. */
export interface OpenedContexts {
  readonly parts: ContextParts;
  readonly lists: readonly OpenWork[];
  /** Plans the first daily update, unless the process ends. */
  planDailyUpdate(): Promise<void>;
  /** Lets nobody begin a mail any more. */
  stopMails(): void;
}

/** Builds what the contexts need on the engine and the gateway. */
export async function openContexts(
  config: Config,
  { engines, engine, owned: { log, guard } }: OpenedEngine,
  {
    gateway,
    openMailer,
    ipLocations,
    figures,
  }: {
    readonly gateway: PaymentGateway;
    readonly openMailer: (clock: Clock, logger: Logger) => Promise<Mailer>;
    readonly ipLocations: IpLocations | undefined;
    /** Counts mails; undefined if nobody counts. */
    readonly figures: Figures | undefined;
  },
  logger: Logger,
): Promise<OpenedContexts> {
  const { writer, reader, loop, clock, time, randomness, keyring, personalData, vault, changes } = engine;
  const tries = new Tries(reader, clock, time, config.declineLimits);
  const charging = new Charging(writer, keyring, vault, gateway, tries);
  const unmeasured = await openMailer(clock, logger);
  const mailer = figures === undefined ? unmeasured : new MeasuredMailer(unmeasured, figures.mails);
  const regions = new Regions(reader, changes);
  const publicUrl = new PublicUrl(config.publicUrl ?? '');
  const onRefused: OnRefused = (streams, count) =>
    logger.warn({ streams, count }, 'mails that need refused streams are not sent: see /health/ready');
  const recipients = new BatchRecipients(writer, keyring, clock, personalData, publicUrl);
  const batches = new BatchDelivery(writer, clock, time, mailer, recipients, onRefused);
  const remembered: Remembered = {
    deals: new Deals(reader, changes, publicUrl),
    regions,
    partnerKeys: new PartnerKeys(writer, reader, keyring, changes, randomness),
    partnerPasswords: new PartnerPasswords(writer, reader, keyring, changes, randomness),
    keyUses: new KeyUses(writer, clock, engines.keyValues, () => !guard.refused),
    accessTokens: new AccessTokens(writer, reader, keyring, clock, changes),
    operatorTokens: new OperatorTokens(writer, reader, keyring, changes, clock),
    operatorTokenUses: new OperatorTokenUses(reader, clock, engines.keyValues, () => !guard.refused),
    consoleSessions: new ConsoleSessions(engines.keyValues, keyring, clock, () => !guard.refused),
  };
  const { dailyUpdateAt } = config;
  const { delivery, dailyUpdate } = subscriptionMailsOf(engine, {
    ...remembered,
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
  return {
    parts: {
      ...remembered,
      publicUrl,
      charging,
      tries,
      mailer,
      regionFinder: new RegionFinder(regions, ipLocations),
    },
    lists: openWork(workLists, works, engine),
    async planDailyUpdate() {
      if (!delivery.isStopping) await dailyUpdate.plan();
    },
    stopMails() {
      batches.stop();
      delivery.stop();
    },
  };
}
