import { join } from 'node:path';
import type { Logger } from 'pino';
import { SandboxGateway } from '#adapters/sandbox-gateway';
import type { IpLocations } from '#catalogue';
import type { Clock, Machine, SnapshotOptions, Time } from '#eventsourcing';
import type { Mailer } from '#mailing/mail';
import type { PaymentGateway } from '#purchasing';
import type { Config } from './config.js';
import { type Engines, openEngines } from './engines/engines.js';
import type { LogEvents } from './engines/log-engine.js';
import { type AroundTimers, type OpenedTimers, timersEngineOf } from './engines/timers-engines.js';
import { copiedWords } from './folder/copied.js';
import { LEDGER_FILE } from './folder/ledger-file.js';
import { type RecordedFolder, recordFolder } from './folder/record-folder.js';
import { openMailer, readMailFiles } from './mail/mailer.js';
import { foldsOfThisBuild } from './snapshots/folds.js';
import { ProjectorThread, type StartProjector } from './projector/projector-thread.js';

/** The payment gateway of a process. */
export type OpenedGateway = PaymentGateway & { close(): Promise<void> };

/**
 * Everything around a process: what its parts are built on. Programs use the real ones (`realSurroundings`); tests can give a
 * process others, such as simulated ones.
 */
export interface Surroundings {
  /** The process's time and random numbers. */
  readonly machine: Machine;
  /** @throws Error for people to read */
  openEngines(config: Config, logger: Logger, on: LogEvents): Promise<Engines>;
  /** @param installation for which the gateway is asked */
  openGateway(config: Config, clock: Clock, installation: string): Promise<OpenedGateway>;
  /** Opens the file with the places of IP addresses, if one is configured. */
  openIpLocations(config: Config): Promise<IpLocations | undefined>;
  /** Reads what mails need from files immediately. @returns what opens the mailer */
  mailer(config: Config): (clock: Clock, logger: Logger) => Promise<Mailer>;
  /** Resolves when something answers at the URL, whatever it answers. */
  reach(url: string): Promise<unknown>;
  openTimers(config: Config, around: AroundTimers): Promise<OpenedTimers>;
  readonly startProjector: StartProjector;
  /** Which streams have snapshots, and when. */
  snapshots(): Pick<SnapshotOptions, 'folds' | 'every'>;
  /** A message if the data folder of a whole service was copied. */
  copied(config: Config, engines: Engines): string | undefined;
  /** Writes into the data folder of a whole service that it works on it. */
  recordFolder(config: Config, engines: Engines, gateway: OpenedGateway): Promise<RecordedFolder>;
}

/** The real files, servers and threads. */
export function realSurroundings(machine: Machine): Surroundings {
  return {
    machine,
    openEngines: (config, logger, on) => openEngines(config, logger, on, machine),
    openGateway: (config, clock, installation) => openGateway(config, clock, installation, machine.time),
    openIpLocations,
    mailer(config) {
      const files = readMailFiles(config);
      return (clock, logger) => openMailer(config, files, clock, machine, logger);
    },
    reach: (url) => fetch(url, { method: 'HEAD' }),
    openTimers: (config, around) => timersEngineOf(config).open(config, around),
    startProjector: (data, on, time) => new ProjectorThread(data, on, time),
    snapshots: () => ({ folds: foldsOfThisBuild() }),
    copied: ({ dataDir }, { manifest }) => copiedWords(dataDir, manifest),
    recordFolder: (config, { manifest, keyValues, log }, { ledger }) =>
      recordFolder(
        config,
        manifest,
        { keyValues, log: log.identity, ledger: ledger?.place === 'here' ? ledger : undefined },
        machine,
      ),
  };
}

/** The sandbox gateway: in the configured process, otherwise in this one. */
async function openGateway(config: Config, clock: Clock, installation: string, time: Time): Promise<OpenedGateway> {
  const { sandboxGatewayUrl: url, gatewayTimeout: timeout } = config;
  if (url !== undefined) {
    const { HttpSandboxGateway } = await import('#adapters/sandbox-gateway/http');
    return new HttpSandboxGateway(url, timeout, installation, time);
  }
  const ledger = join(config.dataDir, LEDGER_FILE);
  return SandboxGateway.open({ ledger, installation, timeout, now: () => clock.now(), time });
}

async function openIpLocations({ geoipDb }: Config): Promise<IpLocations | undefined> {
  if (geoipDb === undefined) return undefined;
  const { MmdbLocations } = await import('#adapters/geoip');
  return MmdbLocations.open(geoipDb);
}
