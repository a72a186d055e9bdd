import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { thisMachine } from '#adapters/machine';
import { type Config, readConfig } from './config.js';
import type { Environment } from './environment.js';
import { EVENTS_FILE } from './folder/inspected-folder.js';
import { ledgerInFolder } from './folder/ledger-in-folder.js';
import { refusePlanted } from './folder/planted.js';
import { refuseUnfinished } from './folder/unfinished-restore.js';
import { unusedGateway } from './folder/unused-gateway.js';
import { createHttpApp } from './http-app.js';
import { untilViewsEnd } from './readiness.js';
import { openService, type Service } from './service.js';
import { realSurroundings, type Surroundings } from './surroundings.js';

/** A data folder that is read without a service. */
export interface ReadFolder {
  /** Answers the service's reading calls, to this machine alone. */
  readonly url: string;
  close(): Promise<void>;
}

/** Who waits until the folder can be read, which takes minutes if its views must be built. */
export interface WaitingReader {
  /** Hears every few seconds for what it waits. */
  readonly tell: (words: string) => void;
  /** Aborts when they wait no longer. */
  readonly interrupted: AbortSignal;
}

/** The variables that make a service store elsewhere than in its folder. */
const SERVERS = ['EVENTSTORE_URL', 'MONGODB_URL', 'REDIS_URL'];
/** What a process that only reads takes from the environment of a service. */
const NAMES = ['DATA_DIR', 'MASTER_KEY', 'ACCEPT', 'TEST_CLOCK', 'TEST_TIME', 'PUBLIC_URL'];
/** It works for nobody: no timers, no demo, and only this machine reaches it. */
const ALONE = { HOST: '127.0.0.1', PORT: '0', TIMERS: 'false', DEMO: 'false', SELF_AUDIT: 'off' };
/** The start of the addresses of coupons, if nobody has said where the service is. */
const SOMEWHERE = 'http://127.0.0.1:3000';

/**
 * Opens the data folder of a service that does not run, to read it: nothing is written to its log, and no person's data is opened
 * (ruling I18).
 * @returns undefined if there is no such folder
 * @throws Error for people to read if a service uses the folder, if it cannot be opened, or if its reader waits no longer
 */
export async function readFolder(
  environment: Environment,
  { tell, interrupted }: WaitingReader,
): Promise<ReadFolder | undefined> {
  if (SERVERS.some((name) => (environment[name] ?? '') !== '')) return undefined;
  const taken = Object.fromEntries(NAMES.map((name) => [name, environment[name]]));
  const config = readConfig({ ...taken, ...ALONE });
  refuseUnfinished(config.dataDir);
  if (!existsSync(join(config.dataDir, EVENTS_FILE))) return undefined;
  // Files made from here on are readable by their owner only.
  process.umask(0o077);
  refusePlanted(config.dataDir);
  const log = pino({ level: 'silent' });
  const service = await openToRead(config, log);
  if (service.publicUrl.href === '') service.publicUrl.href = SOMEWHERE;
  const app = await createHttpApp(service, log, config);
  const close = async (): Promise<void> => {
    await app.close();
    await service.close();
  };
  try {
    await app.listen({ port: 0, host: '127.0.0.1' });
    const telling = { warn: ({ waiting_for }: { readonly waiting_for: string }) => tell(waiting_for) } as Logger;
    const interruption = new Promise<never>((_, reject) => {
      interrupted.addEventListener('abort', () => reject(new Error('interrupted')), { once: true });
    });
    await Promise.race([untilViewsEnd(service, telling), interruption]);
    interrupted.throwIfAborted();
  } catch (error) {
    await close();
    throw error;
  }
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close };
}

/** Opens the data folder of a service that does not run, and writes nothing to its log. */
export function openToRead(config: Config, log: Logger): Promise<Service> {
  return openService(config, log, READING);
}

/** What is around a process that only reads: it moves no money, and leaves no note in the folder that it was there. */
const READING: Surroundings = {
  ...realSurroundings(thisMachine),
  readsOnly: true,
  openGateway: () => Promise.resolve(unusedGateway()),
  readLedger: ({ dataDir }) => ledgerInFolder(dataDir),
  copied: () => undefined,
  recordFolder: () => Promise.resolve({ close: () => Promise.resolve() }),
};
