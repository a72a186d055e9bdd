import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { databaseUrl } from './mongodb/database-url.js';
import { Program } from './program.js';

/** Servers that the services of tests share. With all three a service is a cluster: two APIs and two workers. */
export interface SharedEngines {
  readonly eventStoreUrl: string;
  /** The prefix of stream names; undefined: one per data folder, so that many services share a server. */
  readonly prefix?: string;
  readonly mongoUrl?: string | undefined;
  readonly redisUrl?: string | undefined;
}

let shared = fromEnvironment();

/** The servers of this test run; undefined: each service is one process with files in its data folder. */
export function sharedEngines(): SharedEngines | undefined {
  return shared;
}

/** What the MongoDB of this test run cannot do, such as `near`: a stand-in that lacks something is slow, too. */
export function lacking(): readonly string[] {
  return (process.env['TEST_LACKS'] ?? '').split(',').filter((each) => each !== '');
}

/** From now on the services of this spec use these servers. */
export function shareEngines(engines: SharedEngines): void {
  shared = engines;
}

/** With TEST_ENGINES, `npm run test:cluster` runs every spec on the servers that the environment names. */
function fromEnvironment(): SharedEngines | undefined {
  const { TEST_ENGINES, EVENTSTORE_URL: eventStoreUrl, MONGODB_URL: mongoUrl, REDIS_URL: redisUrl } = process.env;
  if (TEST_ENGINES !== 'true') return undefined;
  if (eventStoreUrl === undefined) throw new Error('TEST_ENGINES needs EVENTSTORE_URL: run npm run test:cluster');
  return { eventStoreUrl, mongoUrl, redisUrl };
}

/** Whether services on these servers are several processes each. */
export function isCluster({ mongoUrl, redisUrl }: SharedEngines): boolean {
  return mongoUrl !== undefined && redisUrl !== undefined;
}

const START_WITHIN = 240_000;

/** The name that separates the data of one folder's services from others on the same servers. */
export function namespaceOf(dataDir: string): string {
  return `t${createHash('sha256').update(basename(dataDir)).digest('hex').slice(0, 16)}`;
}

/** The log of a data folder's services on shared engines. */
export function sharedLogOf(
  dataDir: string,
  { eventStoreUrl: url, prefix = `${namespaceOf(dataDir)}_` }: SharedEngines,
): { url: string; prefix: string } {
  return { url, prefix };
}

/** The views' database on shared engines; undefined: the views are in the folder. */
export function sharedViewsOf(dataDir: string, { mongoUrl }: SharedEngines): string | undefined {
  if (mongoUrl === undefined) return undefined;
  return databaseUrl({ url: mongoUrl }, namespaceOf(dataDir));
}

/** The environment variables that name the engines to the processes of one data folder. */
export function engineVariables(dataDir: string, engines: SharedEngines): Readonly<Record<string, string>> {
  const { url, prefix } = sharedLogOf(dataDir, engines);
  const views = sharedViewsOf(dataDir, engines);
  return {
    EVENTSTORE_URL: url,
    EVENTSTORE_PREFIX: prefix,
    ...(views === undefined ? {} : { MONGODB_URL: views }),
    ...(engines.redisUrl === undefined ? {} : { REDIS_URL: engines.redisUrl }),
  };
}

/**
 * The environment that the processes of one data folder share: the engines, the master key and the sandbox gateway, which it
 * starts.
 */
export async function sharedEnvironment(
  dataDir: string,
  engines: SharedEngines,
  own: Readonly<Record<string, string>>,
): Promise<{ readonly env: Readonly<Record<string, string>>; readonly programs: readonly Program[] }> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const key = join(dataDir, 'master.key');
  if (!existsSync(key) && own['MASTER_KEY'] === undefined) writeFileSync(key, '5'.repeat(64), { mode: 0o600 });
  const env = engineVariables(dataDir, engines);
  if (own['SANDBOX_GATEWAY_URL'] !== undefined) return { env, programs: [] };
  const gateway = Program.start('apps/sandbox-gateway/main.js', { PORT: '0', DATA_DIR: dataDir });
  return {
    env: { ...env, SANDBOX_GATEWAY_URL: await gateway.waitFor(/listens at (\S+)\. /, START_WITHIN) },
    programs: [gateway],
  };
}
