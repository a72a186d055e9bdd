import pino from 'pino';
import { InProcessTimers } from '#adapters/embedded';
import { LiveKeys, type SealedRows, StoreFailed, Unavailable } from '#eventsourcing';
import { type Engines, newProjector, type Surroundings } from '#platform';
import { type Crash, SyncedFile } from '../world/disk.js';
import { GatewayClient, type GatewayServer } from '../world/gateway.js';
import { LogData } from '../world/log-data.js';
import { type MailServer, SimulatedMailer } from '../world/mail-server.js';
import type { Life } from '../world/life.js';
import { startSimulatedProjector } from '../world/projector.js';
import { SimulatedSnapshots, SnapshotData } from '../world/snapshots.js';
import {
  MASTER_KEY,
  SimulatedKeyStore,
  SimulatedKeyValues,
  SimulatedRecords,
  SimulatedVault,
  type StateAccess,
} from '../world/state.js';
import { StateData } from '../world/state-data.js';
import type { World } from '../world/world.js';
import { SimulatedFileLog } from './log.js';
import { SimulatedViewReaders, SimulatedViewStore, ViewFiles } from './views.js';

/** No key is rotated in the simulation. */
const NOTHING_SEALED: SealedRows = {
  part: () => Promise.resolve({ read: 0, rows: [], next: undefined }),
  reseal: () => Promise.resolve(),
};

/** The data folder of a whole service: what is on disk, whichever process works on it. */
export class SimulatedFolder {
  readonly log: LogData;
  readonly state = new StateData();
  readonly views: ViewFiles;
  readonly snapshots = new SnapshotData();
  /** What was written with keys, in words, once something was. */
  written: string | undefined;

  constructor(
    readonly world: World,
    name = 'folder',
  ) {
    const random = world.random.of(name);
    this.log = new LogData(random.bytes(16).toString('hex'), ({ stream, revision, type, position }) =>
      world.trace.tell('log', `${position} ${stream}@${revision} ${type}`),
    );
    this.views = new ViewFiles(random);
  }

  crash(how: Crash): void {
    this.views.crash(how);
  }
}

/** What a whole service stands on: its folder, with a gateway and a mail server outside. */
export function aroundWholeService(
  folder: SimulatedFolder,
  outside: { readonly gateway: GatewayServer; readonly mails: MailServer },
  life: Life,
): Surroundings {
  const { world } = folder;
  const { machine } = life;
  const snapshots = new SimulatedSnapshots(world, life, folder.snapshots);
  return {
    machine,
    async openEngines(_config, _logger, on): Promise<Engines> {
      const { promise: failed, resolve } = Promise.withResolvers<Error>();
      const errors = {
        failed: () => new StoreFailed('the state database failed'),
        full: () => new Unavailable('there is no room for the state database', 10),
      };
      const file = new SyncedFile(world, life, 'state.db', errors, { failed: resolve });
      life.onCrash(() => file.crash());
      const access: StateAccess = {
        change: (change) => file.write(() => change(folder.state)),
        read: (read) => {
          file.assertOpen();
          return file.busy ? file.write(() => read(folder.state)) : Promise.resolve(read(folder.state));
        },
      };
      const keyValues = new SimulatedKeyValues(access);
      const past = { place: 'state.db', written: folder.written };
      const liveKeys = await LiveKeys.open(keyValues, () => MASTER_KEY, past, machine);
      const { keyring } = liveKeys;
      folder.written = 'it was opened before';
      const log = new SimulatedFileLog(world, life, folder.log, on);
      life.onCrash(() => log.crash());
      return {
        views: new SimulatedViewReaders(folder.views),
        seenByViews: async (identity) => folder.views.seen(identity),
        liveKeys,
        keyring,
        sealed: NOTHING_SEALED,
        keys: new SimulatedKeyStore(access, keyring),
        vault: new SimulatedVault(access, keyring),
        records: new SimulatedRecords(access, keyring),
        keyValues,
        snapshots,
        log,
        manifest: undefined,
        place: 'the simulated folder',
        // No thread opens them here.
        locations: { log: { engine: 'embedded', file: '' }, views: { engine: 'embedded', folder: '' } },
        shared: undefined,
        failed,
        close: () => log.close(),
      };
    },
    openIpLocations: async () => undefined,
    openGateway: async (config) => new GatewayClient(world, life, outside.gateway, config.gatewayTimeout),
    mailer: () => async () => new SimulatedMailer(world, life, outside.mails),
    reach: () => Promise.resolve(),
    async openTimers({ timers: enabled }, { clock, logger, time }) {
      const onError = (_: string, error: unknown): void =>
        logger.error({ err: error }, 'the work of a list has failed');
      return {
        timers: new InProcessTimers(clock, { enabled, onError, time }),
        queues: [],
        isRedisAway: () => undefined,
      };
    },
    startProjector: startSimulatedProjector(world, life, (data, on, time) => {
      const log = new SimulatedFileLog(world, life, folder.log, NOBODY);
      const store = new SimulatedViewStore(world, life, folder.views);
      const projector = newProjector({ log, store, time }, data, on);
      return { projector, notify: () => log.notify(), end: () => log.close() };
    }),
    snapshots: () => snapshots.options,
    copied: () => undefined,
    recordFolder: async () => ({ close: () => Promise.resolve() }),
  };
}

const NOBODY = { appended: () => undefined, failed: () => undefined, hindered: () => undefined };

/** Says nothing: what a simulated process logs is seen in a replay only. */
export const SILENT = pino({ level: 'silent' });
