import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { holdfast, type Ran, type RunningCommand, startHoldfast } from '../../support/backups.js';
import { buyFull, storeCard } from '../../support/cards.js';
import { engineVariables, type SharedEngines, sharedLogOf } from '../../support/cluster.js';
import { eventsIn, eventsOf } from '../../support/data-folder.js';
import { RunningSandbox } from '../../support/running-sandbox.js';
import { discardLeftovers, newDataDir, RunningService } from '../../support/running-service.js';
import { SharedServers } from '../../support/shared-servers.js';
import { ON_DISK, tempFolder } from '../../support/temp-folder.js';
import { patience, size, tell } from '../size.js';

/** Milliseconds that the service sells while it is followed. */
const SELLS_FOR = size('FOLLOW_SECONDS', 4) * 1_000;
/** How often the process that follows is killed before. */
const KILLS = size('FOLLOW_KILLS', 2);
const BUYERS = 8;
const MASTER_KEY = '7'.repeat(64);
/** Milliseconds: a backup that follows is at most so far behind. */
const BEHIND = 1_000;

const folder = tempFolder();
const servers = await SharedServers.start();
afterAll(async () => {
  await discardLeftovers();
  await servers?.stop();
  folder.remove();
});

/** A purchase that was answered, and when. */
interface Sold {
  readonly id: string;
  readonly at: number;
}

/** Where the service keeps its log, its keys and its due work. */
const PLACES: readonly { readonly what: string; readonly engines: SharedEngines | undefined }[] = [
  { what: 'a folder', engines: undefined },
  ...(servers === undefined ? [] : [{ what: servers.shown, engines: servers }]),
];

/** The streams of an installation. */
async function streamsIn(dataDir: string, engines: SharedEngines | undefined): Promise<ReadonlySet<string>> {
  if (engines === undefined) return new Set((await eventsOf(dataDir)).map(({ stream }) => stream));
  const { EventStoreDbLogReader } = await import('#adapters/eventstoredb');
  const events = await eventsIn(await EventStoreDbLogReader.open(sharedLogOf(dataDir, engines)));
  return new Set(events.map(({ stream }) => stream));
}

describe.each(PLACES)('G12.2: a backup that follows $what', ({ engines }) => {
  it(
    'G12.2 H10: after kill -9 and the loss of the disk, a followed backup lacks at most a second of sales, and each is named',
    async () => {
      const sandbox = await RunningSandbox.start();
      const env = { MASTER_KEY, SANDBOX_GATEWAY_URL: sandbox.url, PUBLIC_URL: 'https://deals.example.com' };
      const dataDir = newDataDir(ON_DISK);
      const placeOf = (its: string) => (engines === undefined ? {} : engineVariables(its, engines));
      const there = placeOf(dataDir);
      const service = await RunningService.start({ dataDir, env, engines, ownProcess: true });
      const partner = await service.newPartner('acme');
      await service.newDeal('tram', { stock: 1_000_000 });
      const backup = join(folder.path, engines === undefined ? 'of-a-folder' : 'of-servers');
      const follow = async (): Promise<RunningCommand> => {
        const running = startHoldfast(['backup', backup, '--follow'], {
          ...env,
          ...there,
          DATA_DIR: dataDir,
          HOLDFAST_URL: service.url,
        });
        while (!running.printed.out.includes('It follows')) {
          if (running.child.exitCode !== null) throw new Error(running.printed.err);
          await pause(20);
        }
        return running;
      };
      const restore = async (into: string): Promise<Ran> => {
        const ran = await holdfast(['restore', backup, '--erasures', 'none'], {
          ...env,
          ...placeOf(into),
          DATA_DIR: into,
        });
        expect(ran).toMatchObject({ code: 0, err: '' });
        return ran;
      };
      let following = await follow();
      const sold: Sold[] = [];
      let isSelling = true;
      const sell = async (_: unknown, buyer: number): Promise<void> => {
        const user_id = await service.newUser(partner.key, `buyer-${buyer}@example.com`);
        const credit_card_id = await storeCard(service, partner.key, user_id);
        while (isSelling) {
          const body = { user_id, credit_card_id, deal_id: 'tram', quantity: 1 };
          const answer = await buyFull(service, partner, body).catch(() => undefined);
          if (answer?.status === 200) sold.push({ id: answer.body.purchase.id, at: performance.now() });
        }
      };
      const selling = Promise.all(Array.from({ length: BUYERS }, sell));
      // Whatever a kill of the backup itself leaves is a backup, and the next one goes on.
      for (let kill = 0; kill < KILLS; kill += 1) {
        await pause(Math.random() * 1_500);
        following.child.kill('SIGKILL');
        await following.ended;
        await restore(join(newDataDir(), `data-${kill}`));
        following = await follow();
      }
      await pause(SELLS_FOR);
      const killed = performance.now();
      await service.kill();
      following.child.kill('SIGKILL');
      await following.ended;
      isSelling = false;
      await selling;
      rmSync(dataDir, { recursive: true, force: true });

      const restored = join(newDataDir(), `restored-${engines === undefined ? 'folder' : 'servers'}`);
      const ran = await restore(restored);
      const streams = await streamsIn(restored, engines);
      const lost = sold.filter(({ id }) => !streams.has(`purchase-${id}`));
      tell(
        'FOLLOW_SECONDS',
        `${sold.length} sales, ${lost.length} lost, the oldest ${Math.round(Math.max(0, ...lost.map(({ at }) => killed - at)))} ms before the kill`,
      );
      expect(sold.length).toBeGreaterThan(10);
      for (const { id, at } of lost) {
        expect(killed - at).toBeLessThan(BEHIND);
        expect(ran.out).toContain(id);
      }

      // The gateway knows more than the log: nothing is decided before an operator has said so.
      if (lost.length === 0) return;
      const again = await RunningService.start({ dataDir: restored, env, engines, unready: true });
      const refused = await again.ask('POST', '/purchases/reserve', {
        key: partner.key,
        body: { deal_id: 'tram', num_bought: 1 },
      });
      expect(refused.status).toBe(503);
      expect(again.printed).toContain('is older than the ledger of the payment gateway');
      const [, code = ''] = /ACCEPT=([0-9a-f]{12})/.exec(ran.out) ?? [];
      await again.stop();
      const accepted = await RunningService.start({ dataDir: restored, env: { ...env, ACCEPT: code }, engines });
      for (const { id } of lost) expect(accepted.printed).toContain(id);
      await accepted.discard();
    },
    patience(SELLS_FOR + KILLS * 10_000, 10),
  );
});
