// `#platform/sandbox-gateway`: a program that needs no other part of the service.
import { join } from 'node:path';
import { z } from 'zod';
import { thisMachine } from '#adapters/machine';
import { SandboxGateway } from '#adapters/sandbox-gateway';
import { SandboxServer } from '#adapters/sandbox-gateway/http';
import { endOnSignal } from '../end-on-signal.js';
import { filled, logLevel, readEnvironment, share, whole, type Environment } from '../environment.js';
import { LEDGER_FILE } from '../folder/ledger-file.js';
import { refusePlanted } from '../folder/planted.js';
import { checkUsable, makeDataFolder } from '../folder/usable.js';
import { addressOf, checkListenAddress } from '../listen-address.js';
import { openProcessLog } from '../log/process-log.js';

const ENVIRONMENT = z.object({
  PORT: whole(65_535, 'must be a port, 0 to 65535').default(3900),
  HOST: filled('host', 'must be an address').default('127.0.0.1'),
  DATA_DIR: filled('path', 'must be a folder').default('./data'),
  LEDGER: filled('path', 'must be a file').optional(),
  LOG_LEVEL: logLevel,
  DELAY: whole(60_000, 'must be milliseconds, at most 60000').default(0),
  LOSE: share('must be a share of answers, 0 to 1').default(0),
  DUPLICATE: share('must be a share of requests, 0 to 1').default(0),
});

/** The names of all variables that the sandbox gateway reads. */
export const SANDBOX_VARIABLE_NAMES: readonly string[] = Object.keys(ENVIRONMENT.shape);

/**
 * Runs the sandbox gateway as a separate process until a signal stops it (SIGINT, SIGTERM, SIGHUP); ruling D8.
 * @throws Error for people to read if a setting is wrong or the ledger cannot be used
 */
export async function runSandboxGateway(environment: Environment): Promise<void> {
  const { time, randomness } = thisMachine;
  const settings = readEnvironment(ENVIRONMENT, environment);
  process.umask(0o077);
  const place = { host: settings.HOST, port: settings.PORT };
  await checkListenAddress(place);
  if (settings.LEDGER === undefined) {
    checkUsable(settings.DATA_DIR);
    refusePlanted(settings.DATA_DIR);
    makeDataFolder(settings.DATA_DIR);
  }
  const log = await openProcessLog('sandbox-gateway', settings.LOG_LEVEL, time);
  const ledger = settings.LEDGER ?? join(settings.DATA_DIR, LEDGER_FILE);
  const gateway = await SandboxGateway.open({ ledger, timeout: 0, now: () => time.wall() }).catch((error: unknown) => {
    const setting = settings.LEDGER === undefined ? 'DATA_DIR' : 'LEDGER';
    throw new Error(`${setting}: ${(error as Error).message}`, { cause: error });
  });
  const server = await SandboxServer.listen({
    gateway,
    host: await addressOf(place),
    port: settings.PORT,
    mishaps: { delay: settings.DELAY, lose: settings.LOSE, duplicate: settings.DUPLICATE },
    random: () => randomness.fraction(),
  });

  endOnSignal(log, time, async () => {
    await server.close();
    await gateway.close();
  });
  process.stdout.write(`The sandbox gateway listens at ${server.url}. Its ledger is ${ledger}. Stop it with Ctrl-C.\n`);
  log.info({ url: server.url, ledger }, 'listening');
}
