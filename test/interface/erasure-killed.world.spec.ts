import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { holdfast } from '../support/backups.js';
import { findInFolder } from '../support/canaries.js';
import { cardOf } from '../support/cards.js';
import {
  type Answer,
  discardLeftovers,
  newDataDir,
  RunningService,
  type TestPartner,
} from '../support/running-service.js';

/** Events of one erasure are in at least so many appends: the wallet's, that of each purchase, and the user's. */
const KILLS = [1, 2, 3, 4];

const nameOf = (index: number): string => `Killjoy${index}quux`;
const cardNumbers = [
  '4242424242424242',
  '4012888888881881',
  '4539578763621486',
  '4532015112830366',
  '4916338506082832',
  '5555555555554444',
];

/** The service always has this address: another one is another form of answers, which a start notes in the log. */
const PUBLIC_URL = 'http://shop.example';

describe('G12.1, H10: an erasure that a kill breaks off', () => {
  let service: RunningService;
  let dataDir: string;
  let acme: TestPartner;
  const users: string[] = [];

  beforeAll(async () => {
    dataDir = newDataDir();
    service = await RunningService.start({ dataDir, env: { PUBLIC_URL } });
    acme = await service.newPartner('acme');
    await service.newDeal('lunch', { stock: 100 });
    for (const [index, number] of cardNumbers.entries()) {
      const user = await service.newUser(acme.key, `${nameOf(index)}@example.com`, { first_name: nameOf(index) });
      users.push(user);
      const stored = await service.ask('POST', '/credit_cards', {
        key: acme.key,
        body: { user_id: user, ...cardOf(number) },
        headers: { 'idempotency-key': `card ${index}` },
      });
      const order = {
        deal_id: 'lunch',
        quantity: 1,
        user_id: user,
        credit_card_id: stored.body.credit_card_id,
        expected_price_per_unit: 1000,
      };
      expect((await service.ask('POST', '/purchases', { key: acme.key, body: order })).status).toBe(200);
    }
    await service.stop();
  });
  afterEach(() => service.kill());
  afterAll(() => discardLeftovers());

  const page = (user: string): Promise<Answer> =>
    service.ask('GET', `/operators/users/${user}`, { token: service.operatorToken });
  const isErased = async (user: string): Promise<boolean> => {
    const { status, text } = await page(user);
    return status === 404 && text.includes('was erased at');
  };
  const untilErased = async (user: string): Promise<void> => {
    for (let looks = 0; !(await isErased(user)); looks += 1) {
      if (looks > 300) throw new Error('the user is not erased');
      await pause(100);
    }
  };
  const erase = (user: string): Promise<Answer> =>
    service.ask('POST', `/operators/users/${user}/erase`, { token: service.operatorToken, body: { reason: 'asked' } });
  const traces = (folder: string, index: number): unknown =>
    findInFolder(folder, {
      name: nameOf(index),
      email: `${nameOf(index)}@example.com`,
      card: cardNumbers[index] ?? '',
    });

  it.each(KILLS)('after its append %d is finished by the next start', async (kill) => {
    const index = kill - 1;
    const user = users[index] ?? '';
    const env = { FAILPOINT: `log.append=${kill}`, PUBLIC_URL };
    service = await RunningService.start({ dataDir, env });
    // The work list that destroys card numbers appends, too: the kill may come after the answer.
    await erase(user).catch(() => undefined);
    await service.ended();
    service = await RunningService.start({ dataDir, env: { PUBLIC_URL } });
    await untilErased(user);
    await service.stop();
    expect(traces(dataDir, index)).toEqual([]);
  });

  it('or that an older copy of the folder has not seen, is done again', async () => {
    const user = users[4] ?? '';
    const copy = newDataDir();
    rmSync(copy, { recursive: true });
    cpSync(dataDir, copy, { recursive: true });
    service = await RunningService.start({ dataDir, env: { PUBLIC_URL } });
    expect((await erase(user)).status).toBe(200);
    await service.stop();
    rmSync(dataDir, { recursive: true });
    cpSync(copy, dataDir, { recursive: true });
    service = await RunningService.start({ dataDir, env: { PUBLIC_URL } });
    await untilErased(user);
    const events = await service.ask('GET', `/auditors/streams/user-${user}`, { token: service.auditorToken });
    expect(events.text).toContain('an older copy of the data was put back');
    await service.stop();
    expect(traces(dataDir, 4)).toEqual([]);
  });

  it('or that an older backup has not seen, is done again by the first start after the restore', async () => {
    const user = users[5] ?? '';
    const [backup, restored] = [newDataDir(), newDataDir()];
    service = await RunningService.start({ dataDir, env: { PUBLIC_URL } });
    const made = await holdfast(['backup', backup], { DATA_DIR: dataDir, HOLDFAST_URL: service.url });
    expect([made.code, made.err]).toEqual([0, expect.any(String)]);
    expect((await erase(user)).status).toBe(200);
    await service.stop();
    const key = ['--master-key-file', join(dataDir, 'master.key')];
    const without = await holdfast(['restore', backup, ...key], { DATA_DIR: restored });
    expect([without.code, without.err]).toEqual([1, expect.stringContaining('the file of erasures, is missing')]);
    const erasures = ['--erasures', `${dataDir}.erasures`];
    const done = await holdfast(['restore', backup, ...key, ...erasures], { DATA_DIR: restored });
    expect([done.code, done.err]).toEqual([0, expect.any(String)]);
    service = await RunningService.start({ dataDir: restored, env: { PUBLIC_URL } });
    await untilErased(user);
    await service.stop();
    expect(traces(restored, 5)).toEqual([]);
  });
});
