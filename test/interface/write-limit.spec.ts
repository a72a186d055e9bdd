import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, type AskOptions, RunningService, type TestPartner } from '../support/running-service.js';
import { LARGE_CALLS } from '#kernel/bounds';
import { claim, reserve } from '../support/buying.js';
import { describeOnEmbedded } from '../support/on-embedded.js';

/** So little that nothing of it comes back while the tests run. */
const PER_SECOND = 10;
/** Its body and its event count more than is free. */
const MUCH = { partner_data: { text: 'x'.repeat(6_000) } };

describe('I16: WRITE_BYTES_PER_SECOND', () => {
  let service: RunningService;
  let [acme, other]: TestPartner[] = [];
  let ann = '';
  const keyOf = (partner: TestPartner | undefined): string => partner?.key ?? '';
  const write = (by: AskOptions, body: unknown = MUCH): Promise<Answer> =>
    service.ask('PUT', `/users/${ann}`, { ...by, body });

  beforeAll(async () => {
    service = await RunningService.start({ env: { WRITE_BYTES_PER_SECOND: String(PER_SECOND) } });
    await service.newDeal('lunch', { stock: 10_000 });
    [acme, other] = [await service.newPartner('acme'), await service.newPartner('other')];
    ann = await service.newUser(keyOf(acme), 'ann@example.com');
  });
  afterAll(() => service.discard());

  it('refuses what a partner writes beyond it, with all of its credentials, and before anything is written', async () => {
    const key = keyOf(acme);
    const token = await service.ask('POST', `/users/${ann}/access_tokens`, {
      key,
      body: { expires_in: 600, scope: 'all', access: 'read,write' },
    });
    const till = await service.operate('POST', `/partners/${acme?.id}/keys`, {
      name: 'till',
      scope: 'user',
      access: 'read,write',
    });
    expect((await write({ key })).status).toBe(200);
    const { status, body, headers } = await write({ key }, { first_name: 'Ann', ...MUCH });
    expect([status, body.error_type]).toEqual([429, 'rate_limited']);
    const seconds = Number(headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(body.error_msg).toBe(`you write more than ${PER_SECOND} bytes per second; try again in ${seconds} s`);
    const refused = [
      await write({ token: token.body.access_token.id }, { first_name: 'x'.repeat(6_000) }),
      await write({ key: till.api_key }),
      await write({ key }, { ...MUCH, more: 'x'.repeat(100_000) }),
    ];
    expect(refused.map((answer) => answer.status)).toEqual([429, 429, 429]);
    const chunked = await fetch(new URL(`/users/${ann}`, service.url), {
      method: 'PUT',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: new Blob([JSON.stringify({ first_name: 'Ann' })]).stream(),
      duplex: 'half',
    });
    expect(chunked.status).toBe(429);
    const shown = await service.ask('GET', `/users/${ann}`, { key });
    expect([shown.status, shown.body.user.firstname]).toEqual([200, null]);
  });

  it('other partners and operators go on, and so does what writes little', async () => {
    const key = keyOf(other);
    const bob = await service.newUser(key, 'bob@example.com');
    for (let n = 0; n < 20; n += 1) await reserve(service, key, 'lunch');
    expect((await service.ask('PUT', `/users/${bob}`, { key, body: MUCH })).status).toBe(200);
    for (let n = 0; n < 3; n += 1) await service.newDeal(`deal-${n}`, { description1: 'x'.repeat(15_000) });
  });

  it('counts the events that a call leads to, such as a coupon for each unit', async () => {
    const { key } = await service.newPartner('units');
    const user = await service.newUser(key, 'carl@example.com');
    const { id } = await reserve(service, key, 'lunch', 1_000);
    await claim(service, key, id, user);
    const next = await service.ask('POST', '/purchases/reserve', { key, body: { deal_id: 'lunch', num_bought: 1 } });
    expect([next.status, next.body.error_type]).toEqual([429, 'rate_limited']);
  });

  it('a body that is never read counts nothing', async () => {
    const { key } = await service.newPartner('large');
    const body = { deal_id: 'lunch', num_bought: 1, more: 'x'.repeat(100_000) };
    expect((await service.ask('POST', '/purchases/reserve', { key, body })).status).toBe(413);
    await reserve(service, key, 'lunch');
  });
});

describeOnEmbedded('I16: few large calls of one partner run at a time', () => {
  it('while the log does not answer, so many wait, and one more is refused; another partner’s is not', async () => {
    const service = await RunningService.start({ env: { FAILPOINT: 'log.append=held' } });
    const [acme, other] = [await service.newPartner('acme'), await service.newPartner('other')];
    const [ann, bob] = [
      await service.newUser(acme.key, 'a@example.com'),
      await service.newUser(other.key, 'b@example.com'),
    ];
    const write = (key: string, user: string): Promise<Answer> =>
      service.ask('PUT', `/users/${user}`, { key, body: MUCH });
    const hold = join(service.dataDir, 'events.db-hold');
    writeFileSync(hold, '0');
    const calls = Array.from({ length: LARGE_CALLS.atOnce + LARGE_CALLS.waiting + 1 }, () => write(acme.key, ann));
    const { status, body } = await Promise.race(calls);
    expect([status, body.error_msg]).toEqual([503, 'too many large calls of yours wait']);
    const another = write(other.key, bob);
    rmSync(hold);
    expect((await another).status).toBe(200);
    await Promise.all(calls);
    await service.discard();
  });
});
