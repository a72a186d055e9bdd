import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SandboxGateway, SandboxServer } from '#adapters/sandbox-gateway';
import { filled, readEnvironment, share, whole, type Environment } from './environment.js';

/** The name of the sandbox gateway's ledger in a data folder. */
export const LEDGER_FILE = 'sandbox-gateway.jsonl';

const ENVIRONMENT = z.object({
  PORT: whole(65_535, 'must be a port, 0 to 65535').default(3900),
  HOST: filled('must be an address').default('127.0.0.1'),
  DATA_DIR: filled('must be a folder').default('./data'),
  LEDGER: filled('must be a file').optional(),
  DELAY: whole(60_000, 'must be milliseconds, at most 60000').default(0),
  LOSE: share('must be a share of answers, 0 to 1').default(0),
  DUPLICATE: share('must be a share of requests, 0 to 1').default(0),
});

/**
 * Runs the sandbox gateway as a process of its own until it is told to stop (SIGINT, SIGTERM); ruling D8.
 * @throws Error in words when the environment is wrong or the ledger cannot be used
 */
export async function runSandboxGateway(environment: Environment): Promise<void> {
  const given = readEnvironment(ENVIRONMENT, environment);
  if (given.LEDGER === undefined) mkdirSync(given.DATA_DIR, { recursive: true });
  const ledger = given.LEDGER ?? join(given.DATA_DIR, LEDGER_FILE);
  const gateway = await SandboxGateway.open({ ledger, timeout: 0, now: Date.now });
  const server = await SandboxServer.listen({
    gateway,
    host: given.HOST,
    port: given.PORT,
    mishaps: { delay: given.DELAY, lose: given.LOSE, duplicate: given.DUPLICATE },
    random: Math.random,
  });

  let stopping: Promise<void> | undefined;
  const stop = (): void => {
    stopping ??= (async () => {
      await server.close();
      await gateway.close();
      process.exit(0);
    })();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.stdout.write(`The sandbox gateway listens at ${server.url}. Its ledger is ${ledger}. Stop it with Ctrl-C.\n`);
}
