import { Resolver } from 'node:dns/promises';
import type { Instant } from '#kernel';
import type { MongoDbInspection } from '#adapters/mongodb';
import type { RedisInspection } from '#adapters/bullmq';
import type { ServerInspection } from '#adapters/eventstoredb';
import type { Machine, Time, Timer } from '#eventsourcing';
import { INSTALLATION_ENTRY } from '#ownership';
import { AUDIT_ENTRY } from '../audit/audit-notes.js';
import type { Environment } from '../environment.js';
import { gatewayOf } from '../engines/gateways.js';
import { readMailFiles } from '../mail/mailer.js';
import { categories, views } from '../registry.js';
import { type FolderLook, lookAtFolder } from './folder-thread.js';
import { type AskedService, askedService, type Asking, lookAtService, type ServiceLook } from './service-look.js';
import { lookAtSettings, type SettingsLook } from './settings-look.js';

/** How long a look may take, in milliseconds: all run beside each other, and the whole takes less than five seconds. */
export const WITHIN = 3_200;
/** How long a server may take to answer, in milliseconds: longer than a service waits for its log before it tells its health. */
const ANSWERS_WITHIN = 2_500;

/** A look that has not ended in time. */
export class Late extends Error {
  override name = 'Late';
}

/** Everything that is looked at, once. Each promise ends within `WITHIN`; undefined: the settings name no such server. */
export interface Looks {
  readonly environment: Environment;
  readonly machine: Machine;
  readonly settings: SettingsLook;
  readonly folder: FolderLook;
  readonly asked: AskedService;
  readonly service: Promise<ServiceLook>;
  readonly log: Promise<ServerInspection> | undefined;
  readonly mongo: Promise<MongoDbInspection> | undefined;
  readonly redis: Promise<RedisInspection> | undefined;
  /** Resolves if the gateway answers. */
  readonly gateway: Promise<unknown> | undefined;
  /** Resolves to what is wrong with the mail server; undefined for nothing. */
  readonly mail: Promise<string | undefined> | undefined;
  /** The records of a name in the DNS. @throws Error with the code of the DNS, or of a timeout */
  readonly lookUp: (name: string) => Promise<readonly (readonly string[])[]>;
  /** Names in the file of settings that no program reads. */
  readonly unknown: readonly string[];
  /** This machine's time, and when the looks began. */
  readonly now: Instant;
}

/** How the looks are made. */
export interface LookOptions extends Asking {
  /** The records of a name in the DNS; by default the machine's own DNS is asked. */
  readonly lookUp?: Looks['lookUp'] | undefined;
  readonly unknown?: readonly string[] | undefined;
}

/** The names of entries beside the keys that are read. */
export const ENTRIES = { format: 'format', installation: INSTALLATION_ENTRY, audit: AUDIT_ENTRY } as const;

/**
 * Begins all looks, beside each other. None writes anything.
 * @param ended aborts when nobody waits for them any more
 */
export function beginLooks(environment: Environment, asking: LookOptions, machine: Machine, ended: AbortSignal): Looks {
  const { time } = machine;
  const resolver = new Resolver({ timeout: ANSWERS_WITHIN, tries: 1 });
  const { lookUp = (name: string) => resolver.resolveTxt(name), unknown = [] } = asking;
  ended.addEventListener('abort', () => resolver.cancel(), { once: true });
  const settings = lookAtSettings(environment);
  const { config } = settings;
  const bounded = <T>(look: () => Promise<T>): Promise<T> => inTime(look(), time);
  const { eventStoreUrl: url, eventStorePrefix: prefix, mongoUrl, redisUrl, smtp } = config;
  const asked = askedService(config, environment, asking);
  const folder = lookAtFolder(lookedAt(settings), ended);
  const gateway = gatewayOf(config).server(config)?.url;
  return {
    environment,
    machine,
    settings,
    asked,
    unknown,
    lookUp: (name) => bounded(() => lookUp(name)),
    now: time.wall(),
    folder: {
      rights: bounded(() => folder.rights),
      room: bounded(() => folder.room),
      files: bounded(() => folder.files),
      kept: bounded(() => folder.kept),
    },
    service: bounded(() =>
      lookAtService(asked, () => time.wall(), AbortSignal.any([ended, time.timeout(ANSWERS_WITHIN)])),
    ),
    log:
      url === undefined
        ? undefined
        : bounded(async () =>
            (await import('#adapters/eventstoredb')).inspectServer({ url, prefix, categories }, ANSWERS_WITHIN),
          ),
    mongo:
      mongoUrl === undefined
        ? undefined
        : bounded(async () => {
            const { inspectMongoDb } = await import('#adapters/mongodb');
            return inspectMongoDb(mongoUrl, { views, entries: Object.values(ENTRIES) }, ANSWERS_WITHIN);
          }),
    redis:
      redisUrl === undefined
        ? undefined
        : bounded(async () => (await import('#adapters/bullmq')).inspectRedis(redisUrl, ANSWERS_WITHIN)),
    gateway:
      gateway === undefined
        ? undefined
        : bounded(() => fetch(gateway, { method: 'HEAD', signal: time.timeout(ANSWERS_WITHIN) })),
    mail:
      smtp === undefined
        ? undefined
        : bounded(async () => {
            const { inspectMailServer } = await import('#adapters/smtp');
            return inspectMailServer({ ...smtp, ca: readMailFiles({ ...config, dkim: undefined }).ca }, ANSWERS_WITHIN);
          }),
  };
}

/** What the thread of the folder takes of the settings: plain data. */
function lookedAt({ config }: SettingsLook) {
  const { role, dataDir, masterKey, accept, eventStoreUrl, mongoUrl, redisUrl, sandboxGatewayUrl } = config;
  return { role, dataDir, masterKey, accept, eventStoreUrl, mongoUrl, redisUrl, sandboxGatewayUrl };
}

/** A look with its own deadline. A failure that nobody asks for is none. */
async function unlessLate<T>(look: Promise<T>, time: Time): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = time.after(WITHIN, () => reject(new Late(`no answer within ${WITHIN / 1_000} s`)));
  });
  return Promise.race([look, late]).finally(() => time.cancel(timer));
}

function inTime<T>(look: Promise<T>, time: Time): Promise<T> {
  const bounded = unlessLate(look, time);
  bounded.catch(() => undefined);
  look.catch(() => undefined);
  return bounded;
}
