import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedState } from '#adapters/embedded';
import { EventStoreDbLogReader } from '#adapters/eventstoredb';
import { readLedger } from '#adapters/sandbox-gateway';
import { thisMachine } from '#adapters/machine';
import { loadMasterKey } from '#eventsourcing';
import { claim, reserve } from '../support/buying.js';
import { eventsIn } from '../support/data-folder.js';
import { RunningDouble } from '../support/running-double.js';
import { RunningSandbox } from '../support/running-sandbox.js';
import { newDataDir, RunningService } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';
import { Asking } from './asking.js';
import { moneyOf, packDouble, packLedger, writeGolden, type Acknowledged, type Recording } from './recording.js';
import { requests } from './requests.js';
import { fillShop, keptRequests, leaveOpen, PRICE, runningRequest, type Shop } from './shop.js';

const PREFIX = 'holdfast_';
const PUBLIC_URL = 'https://deals.example.com';
/** The number of sales under load before the kill, and of connections. */
const [SALES, CONNECTIONS] = [12, 4];
/** Milliseconds until the request that waits for the gateway is under way. */
const UNDER_WAY = 500;

/** What to record. */
export interface Recorder {
  /** Whether the log is on EventStoreDB's double, under the default prefix. */
  readonly eventstoredb: boolean;
  /** Whether an administrator deletes a stream on the way, and the gateway runs in a process of its own; with `eventstoredb` only. */
  readonly found: boolean;
}

/**
 * Runs the build of its own worktree, sells under load, kills it, and stores what the build wrote and answered in a new folder.
 * @param golden the folder
 * @returns how many answers it recorded, and how many sales under load callers were told of
 */
export async function recordGolden(
  golden: string,
  { eventstoredb, found }: Recorder,
): Promise<{ readonly answers: number; readonly sales: number }> {
  const dataDir = newDataDir();
  const files = tempFolder();
  const doubleFile = join(files.path, 'eventstoredb.log');
  const double = eventstoredb ? await RunningDouble.start(`--file=${doubleFile}`) : undefined;
  // The key store then knows how far the ledger of the gateway is.
  const gateway = found ? await RunningSandbox.start() : undefined;
  const env: Readonly<Record<string, string>> = {
    PUBLIC_URL,
    ARGON2_MEMORY: '64',
    ARGON2_TIME: '1',
    ...(double === undefined ? {} : { EVENTSTORE_URL: double.url, EVENTSTORE_PREFIX: PREFIX }),
    ...(gateway === undefined ? {} : { SANDBOX_GATEWAY_URL: gateway.url }),
  };
  try {
    const first = await RunningService.start({ dataDir, env: { ...env, GATEWAY_TIMEOUT: '200' } });
    const shop = await fillShop(first);
    const accepts = double !== undefined && found ? await cutStream(double, first, shop.users.erased) : undefined;
    await first.stop();
    await erase(dataDir, shop.users.erased);
    // No timer runs any more, and each append is a transaction of its own, so that a kill cuts followers off.
    const last = {
      ...env,
      ...(accepts === undefined ? {} : { ACCEPT: accepts }),
      GATEWAY_TIMEOUT: '2500',
      TIMERS: 'false',
      SPLIT_APPENDS: String(double === undefined),
    };
    const service = await RunningService.start({ dataDir, env: last });
    const asking = new Asking(service, shop.credentials);
    const answers: Recording['answers'][number][] = [];
    for (const request of keptRequests(shop)) {
      await asking.send(request);
      answers.push(await asking.record(request));
    }
    const pending = await leaveOpen(service, shop);
    const { id: held } = await reserve(service, shop.acme.key, 'coded', 1);
    for (const request of requests(shop, held)) answers.push(await asking.record(request));
    const running = runningRequest(shop);
    asking.send(running).catch(() => undefined);
    await pause(UNDER_WAY);
    const acknowledged = await killUnderLoad(service, shop);
    const at = new Date().toISOString();
    await double?.kill();

    const build = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).stdout.trim();
    writeGolden(golden, dataDir, {
      build,
      log: double === undefined ? 'embedded' : 'eventstoredb',
      prefix: PREFIX,
      ...(gateway === undefined ? {} : { gateway: 'process' as const }),
      ...(accepts === undefined ? {} : { accepts }),
      at,
      publicUrl: PUBLIC_URL,
      credentials: shop.credentials,
      sells: { deal: 'spa', price: PRICE, user: shop.users.ann, card: shop.annsCard, held },
      pending,
      running,
      money: moneyOf(gateway?.ledger ?? readLedger(join(dataDir, 'sandbox-gateway.jsonl'))),
      acknowledged,
      answers,
    });
    if (double !== undefined) packDouble(golden, doubleFile);
    if (gateway !== undefined) packLedger(golden, join(gateway.dataDir, 'sandbox-gateway.jsonl'));
    return { answers: answers.length, sales: acknowledged.length };
  } finally {
    await double?.kill();
    await gateway?.kill();
    files.remove();
  }
}

/** Destroys a person's key: nobody can open what it sealed. */
async function erase(dataDir: string, person: string): Promise<void> {
  const master = loadMasterKey({ file: join(dataDir, 'master.key'), randomness: thisMachine.randomness });
  const state = await EmbeddedState.open(join(dataDir, 'state.db'), () => master);
  await state.keys.destroy(person);
  await state.close();
}

/**
 * Lets an administrator delete a stream that no view needs, that of an erased user's address, and waits until the service has
 * found it: the key store notes it.
 * @returns the codes of the findings
 */
async function cutStream({ control, url }: RunningDouble, service: RunningService, user: string): Promise<string> {
  const events = await eventsIn(await EventStoreDbLogReader.open({ url, prefix: PREFIX }));
  const taken = events.find(
    ({ type, data }) => type === 'email-taken.v1' && (data as { readonly user_id: string }).user_id === user,
  );
  if (taken === undefined) throw new Error('the user has an address');
  await control.softDelete(`${PREFIX}${taken.stream}`);
  for (;;) {
    const { body } = await service.health();
    const codes = body.findings.map(({ code }: { code: string }) => code);
    if (codes.length > 0) return codes.join(',');
    await pause(100);
  }
}

/** Sells until the service is gone; returns what callers were told. */
async function killUnderLoad(service: RunningService, { acme, crowd }: Shop): Promise<readonly Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  const sell = async (user: string): Promise<void> => {
    for (;;) {
      const { id } = await reserve(service, acme.key, 'rush', 1 + (acknowledged.length % 3));
      const { coupons } = await claim(service, acme.key, id, user);
      acknowledged.push({ id, coupons: coupons.map((coupon: { id: string }) => coupon.id) });
    }
  };
  const selling = Array.from({ length: CONNECTIONS }, (_, nth) =>
    sell(crowd[nth % crowd.length] ?? '').catch(() => undefined),
  );
  while (acknowledged.length < SALES) await pause(1);
  await service.kill();
  await Promise.all(selling);
  return acknowledged;
}
