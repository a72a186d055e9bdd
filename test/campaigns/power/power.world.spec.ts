import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { eventsOf } from '../../support/data-folder.js';
import { discardLeftovers, newDataDir, RunningService, type Answer } from '../../support/running-service.js';
import { expectSoundLog } from '../../support/sound-log.js';
import { ON_DISK } from '../../support/temp-folder.js';
import { patience, size, tell } from '../size.js';
import { PowerTrace, type Yes } from './proof.js';
import { callsOf, canTrace, faultySyncs, tracing } from './strace.js';

const SALES = size('POWER', 8);
const CONNECTIONS = 32;

/*
 * What is inferred. strace stops a thread when a call begins and when it has returned, and lets it go on only after it has
 * written its line: so the order of the lines is an order in which it happened. An answer is found by its Request-Id in
 * what was written to a socket, its request as the last one read from that socket, its commit as the first write of a page
 * that holds the decision's event to the log's WAL. That a sync which returned 0 has put the file on the disk is the
 * system's promise, which no test in user space can check; and that the kernel sends no byte before `write` is called is
 * its nature.
 */
const traced = canTrace() ? describe : describe.skip;

traced('when the power is cut', () => {
  let dataDir: string;
  const start = async (prefix?: readonly string[]): Promise<RunningService> =>
    RunningService.start({ dataDir, ownProcess: true, ...(prefix === undefined ? {} : { prefix }) });
  const wal = (): string => join(dataDir, 'events.db-wal');
  const trace = (): string => join(newDataDir(ON_DISK), 'trace');

  afterAll(discardLeftovers);

  it(
    'no byte of a success leaves before the sync of its commit has returned',
    async () => {
      dataDir = newDataDir(ON_DISK);
      const file = trace();
      const service = await start(tracing(file));
      const { key } = await service.newPartner('acme');
      await service.newDeal('spa', { stock: 100_000 });
      const acknowledged: Yes[] = [];
      const record = acknowledged.push.bind(acknowledged);
      for (let index = 0; index < SALES; index += 1) await buy(service, key, `one-${index}`, record);
      const crowd = Array.from({ length: CONNECTIONS }, (_, index) => buy(service, key, `many-${index}`, record));
      await Promise.all(crowd);
      await service.stop();

      const power = new PowerTrace(await callsOf(file), wal());
      const successes = power.successes;
      for (const yes of acknowledged) {
        const proof = power.proofOf(yes);
        const order = Object.values(proof);
        expect({ ...yes, order }).toEqual({ ...yes, order: order.toSorted((a, b) => a - b) });
        expect(successes.has(yes.requestId)).toBe(true);
      }
      expect(acknowledged).toHaveLength(5 * (SALES + CONNECTIONS));
      const syncs = new Set(acknowledged.map((yes) => power.proofOf(yes).syncReturned));
      // Parallel buyers share syncs: that is where an answer could overtake its own.
      expect(syncs.size).toBeLessThan(acknowledged.length);
      tell('POWER', `${acknowledged.length} answers of success, each after its own commit's sync; ${syncs.size} syncs`);
    },
    patience(SALES, 5_000),
  );

  it(
    'A8: a failed sync gives the call 503, and from then on the service reports nothing as done',
    async () => {
      dataDir = newDataDir(ON_DISK);
      const service = await start();
      const { key } = await service.newPartner('acme');
      await service.newDeal('spa', { stock: 100 });
      const userId = await service.newUser(key, 'ann@example.org');
      const held = await reserve(service, key);
      const stop = await faultySyncs(service.child.pid ?? 0, wal(), 'error=EIO');
      const first = await claim(service, key, held.body.purchase.id, userId);
      await stop();
      // The disk works again, but nobody knows what the failed sync left behind.
      const later = [
        await claim(service, key, held.body.purchase.id, userId),
        await reserve(service, key),
        await service.ask('PUT', `/purchases/${held.body.purchase.id}/release`, { key }),
        await service.ask('POST', '/users', { key, body: { email: 'ben@example.org' } }),
      ];
      for (const answer of [first, ...later]) {
        expect({ status: answer.status, body: answer.body }).toMatchObject({
          status: 503,
          body: { status: 'error', error_type: 'unavailable' },
        });
        expect(answer.headers['retry-after']).toBeDefined();
      }
      expect((await service.health()).status).toBe(503);
      await service.kill();

      const again = await start();
      expect((await claim(again, key, held.body.purchase.id, userId)).status).toBe(200);
      await again.stop();
      expectSoundLog(await eventsOf(dataDir));
    },
    patience(1, 60_000),
  );

  it(
    'the first success after a kill between write and sync leaves after a sync of what was recovered',
    async () => {
      dataDir = newDataDir(ON_DISK);
      const service = await start();
      const { key } = await service.newPartner('acme');
      await service.newDeal('spa', { stock: 100 });
      const userId = await service.newUser(key, 'ann@example.org');
      const id: string = (await reserve(service, key)).body.purchase.id;
      const stop = await faultySyncs(service.child.pid ?? 0, wal(), 'signal=SIGKILL');
      await expect(claim(service, key, id, userId)).rejects.toThrow();
      await service.ended();
      await stop();
      const left = statSync(wal()).size;

      const file = trace();
      const again = await start(tracing(file));
      const repeated = await claim(again, key, id, userId);
      expect(repeated.status).toBe(200);
      await again.stop();
      expect((await eventsOf(dataDir)).filter(({ type }) => type === 'hold-claimed.v1')).toHaveLength(1);

      const power = new PowerTrace(await callsOf(file), wal());
      const answer = power.successes.get(repeated.headers['request-id'] ?? '');
      if (answer === undefined) throw new Error('the answer is not in the trace');
      // It is the first success of this process, and depends only on what the process found.
      expect(Math.min(...[...power.successes.values()].map(({ began }) => began))).toBe(answer.began);
      // This process wrote the whole WAL again and synced it before it showed anybody its content.
      const [sync] = power.syncsBefore(answer.began);
      if (sync === undefined) throw new Error('nothing was synced before the answer');
      expect(power.bytesBefore(sync.began)).toBe(left);
      expect(power.wroteAfter(sync.began, { event: 'hold-claimed.v1', data: `{"purchase_id":"${id}"` })).toBe(false);
    },
    patience(1, 60_000),
  );
});

const reserve = (service: RunningService, key: string): Promise<Answer> =>
  service.ask('POST', '/purchases/reserve', { key, body: { deal_id: 'spa', num_bought: 1 } });

const claim = (service: RunningService, key: string, id: string, userId: string): Promise<Answer> =>
  service.ask('PUT', `/purchases/${id}/claim`, { key, body: { user_id: userId } });

/** A user is created and buys, redeems, and gives a second reservation back: five answers. */
async function buy(service: RunningService, key: string, name: string, record: (yes: Yes) => void): Promise<void> {
  const say = (answer: Answer, event: string, data: string): void => {
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    record({ requestId: answer.headers['request-id'] ?? '', event, data });
  };
  const user = await service.ask('POST', '/users', { key, body: { email: `${name}@example.org` } });
  say(user, 'email-taken.v1', `{"user_id":"${user.body.user_id}"`);
  const held = await reserve(service, key);
  const id: string = held.body.purchase.id;
  say(held, 'hold-placed.v1', `{"reservation_id":"${id}"`);
  const claimed = await claim(service, key, id, user.body.user_id);
  say(claimed, 'hold-claimed.v1', `{"purchase_id":"${id}"`);
  const coupon: string = claimed.body.purchase.coupons[0].id;
  say(await service.ask('PUT', `/coupons/${coupon}/redeem`, { key }), 'coupon-redeemed.v1', `{"coupon_id":"${coupon}"`);
  const other = (await reserve(service, key)).body.purchase.id;
  say(
    await service.ask('PUT', `/purchases/${other}/release`, { key }),
    'hold-released.v1',
    `{"reservation_id":"${other}"`,
  );
}
