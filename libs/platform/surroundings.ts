import type { Logger } from 'pino';
import type { IpLocations } from '#catalogue';
import { KeptErasures } from '#erasures-file';
import type { Clock, Machine, SnapshotOptions } from '#eventsourcing';
import { UnwritableFile } from '#files';
import type { Mailer } from '#mailing/mail';
import { AuditThread, type StartAudit } from './audit/audit-thread.js';
import type { ReadLedger } from './audit/ledger-audit.js';
import type { Config } from './config.js';
import { type Engines, openEngines } from './engines/engines.js';
import { type AroundGateway, gatewayOf, type OpenedGateway } from './engines/gateways.js';
import type { LogEvents } from './engines/log-engine.js';
import { type AroundTimers, type OpenedTimers, timersEngineOf } from './engines/timers-engines.js';
import { openTracer, type OpenedTracer } from './engines/tracer.js';
import { copiedWords } from './folder/copied.js';
import { type RecordedFolder, recordFolder } from './folder/record-folder.js';
import { openMailer, readMailFiles } from './mail/mailer.js';
import { foldsOfThisBuild } from './snapshots/folds.js';
import { ProjectorThread, type StartProjector } from './projector/projector-thread.js';

/**
 * Everything around a process: what its parts are built on. Programs use the real ones (`realSurroundings`); tests can give a
 * process others, such as simulated ones.
 */
export interface Surroundings {
  /** The process's time and random numbers. */
  readonly machine: Machine;
  /** Opens what exports traces, if it is configured. Absent where nobody traces. */
  openTracer?(config: Config, logger: Logger): Promise<OpenedTracer | undefined>;
  /** @throws Error for people to read */
  openEngines(config: Config, logger: Logger, on: LogEvents): Promise<Engines>;
  /** @throws Error for people to read */
  openGateway(config: Config, around: AroundGateway): Promise<OpenedGateway>;
  /** Opens the file with the places of IP addresses, if one is configured. */
  openIpLocations(config: Config): Promise<IpLocations | undefined>;
  /** Reads what mails need from files immediately. @returns what opens the mailer */
  mailer(config: Config): (clock: Clock, logger: Logger) => Promise<Mailer>;
  /** Resolves when something answers at the URL, whatever it answers. */
  reach(url: string): Promise<unknown>;
  openTimers(config: Config, around: AroundTimers): Promise<OpenedTimers>;
  readonly startProjector: StartProjector;
  /** Starts a thread that audits the log; absent where none can run: then nothing audits it. */
  readonly startAudit?: StartAudit;
  /** The ledger of a gateway that is not opened, to be read: that of the data folder of a stopped service. */
  readLedger?(config: Config): ReadLedger | undefined;
  /** Set in a process that only reads: it writes no event, and opens no person's data, because nobody could see who has read it. */
  readonly readsOnly?: true;
  /** Which streams have snapshots, and when. */
  snapshots(): Pick<SnapshotOptions, 'folds' | 'every'>;
  /**
   * Opens the file of erasures. Absent where nobody can be erased.
   * @returns an error if it cannot be written: then nobody is erased
   * @throws Error for people if it is damaged, or of another installation
   */
  openErasures?(config: Config, installation: string): KeptErasures | UnwritableFile;
  /** A message if the data folder of a whole service was copied. */
  copied(config: Config, engines: Engines): string | undefined;
  /** Writes into the data folder of a whole service that it works on it. */
  recordFolder(config: Config, engines: Engines, gateway: OpenedGateway): Promise<RecordedFolder>;
}

/** The real files, servers and threads. */
export function realSurroundings(machine: Machine): Surroundings {
  return {
    machine,
    openTracer: (config, logger) => openTracer(config, machine, logger),
    openEngines: (config, logger, on) => openEngines(config, logger, on, machine),
    openGateway: (config, around) => gatewayOf(config).open(config, around),
    openIpLocations,
    mailer(config) {
      const files = readMailFiles(config);
      return (clock, logger) => openMailer(config, files, clock, machine, logger);
    },
    reach: (url) => fetch(url, { method: 'HEAD' }),
    openTimers: (config, around) => timersEngineOf(config).open(config, around),
    startProjector: (data, on, time) => new ProjectorThread(data, on, time),
    startAudit: (data, on, time) => new AuditThread(data, on, time),
    snapshots: () => ({ folds: foldsOfThisBuild() }),
    openErasures,
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

function openErasures({ erasuresFile }: Config, installation: string): KeptErasures | UnwritableFile {
  try {
    return KeptErasures.open(erasuresFile, installation);
  } catch (error) {
    if (error instanceof UnwritableFile) return error;
    throw error;
  }
}

async function openIpLocations({ geoipDb }: Config): Promise<IpLocations | undefined> {
  if (geoipDb === undefined) return undefined;
  const { MmdbLocations } = await import('#adapters/geoip');
  return MmdbLocations.open(geoipDb);
}
