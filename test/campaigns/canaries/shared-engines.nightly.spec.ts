import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Binary } from 'mongodb';
import { findIn, type Canaries } from '../../support/canaries.js';
import { cardOf, GOOD_CARD, personOf } from '../../support/cards.js';
import { shareEngines, sharedViewsOf } from '../../support/cluster.js';
import { eventsOf } from '../../support/data-folder.js';
import { documentsOf } from '../../support/mongodb/mongodb-server.js';
import { holdUntilSnapshot } from '../../support/many-holds.js';
import { discardLeftovers, type Json, RunningService } from '../../support/running-service.js';
import { SharedServers } from '../../support/shared-servers.js';
import { BUYER, resell, subscribe, SUBSCRIBED_FROM } from './buyer.js';

const EMAIL = 'bobolink.canary@canary-mail.example';
const PERSON = { ...personOf(EMAIL), first_name: 'Bobolinkbelle', last_name: 'Bobolinksdottir' };
const CODES = ['CODE-CANARY-SERIN', 'CODE-CANARY-SISKIN', 'CODE-CANARY-REDPOLL'];
const IDEMPOTENCY_KEY = 'idempotency-key-canary-redpoll';

const servers = await SharedServers.start();

(servers === undefined ? describe.skip : describe)('A4: two APIs and two workers', () => {
  const personal: Canaries = {
    email: EMAIL,
    first_name: PERSON.first_name,
    last_name: PERSON.last_name,
    card: GOOD_CARD,
    'idempotency key': IDEMPOTENCY_KEY,
    'source of a subscription': SUBSCRIBED_FROM,
    ...(Object.fromEntries(Object.entries(BUYER).map(([name, value]) => [`${name} of a buyer`, value])) as Canaries),
  };
  /** What each server holds, as text. */
  const held = new Map<string, string>();
  let printed = '';
  let documents: Json;
  let erased: string;

  beforeAll(async () => {
    if (servers === undefined) return;
    shareEngines(servers);
    const service = await RunningService.start({ env: { LOG_LEVEL: 'debug' } });
    const { id, key } = await service.newPartner('acme');
    const basic = `acme:${(await service.operate('POST', `/partners/${id}/password`)).password}`;
    await service.newDeal('inn', { refundable: true, stock: CODES.length, redemption_code_pool: CODES });
    await service.operate('PUT', '/regions/testland', { latitude: 42.36, longitude: -71.06, radius: 20 });
    const bought = await service.ask('POST', '/v1/purchases/full.json', {
      key,
      body: { deal_id: 'inn', quantity: 1, user: PERSON, credit_card: cardOf(GOOD_CARD) },
      headers: { 'idempotency-key': IDEMPOTENCY_KEY },
    });
    expect([bought.status, bought.body.purchase.payment_state]).toEqual([200, 'charged']);
    await resell(service, { key, basic }, 'inn');
    await subscribe(service, { key, basic }, { id: bought.body.purchase.user_id, email: EMAIL });
    // Otherwise a view may not have the last rows yet.
    const lists = await service.ask('GET', `/users/${bought.body.purchase.user_id}/subscriptions`, { key });
    expect(lists.status).toBe(200);
    const { user_id } = bought.body.purchase;
    await service.operate('POST', `/users/${user_id}/erase`, { reason: 'asked' });
    const repeated = await service.ask('POST', '/v1/purchases/full.json', {
      key,
      body: { deal_id: 'inn', quantity: 1, user: PERSON, credit_card: cardOf(GOOD_CARD) },
      headers: { 'idempotency-key': IDEMPOTENCY_KEY },
    });
    expect([repeated.status, repeated.body.error_msg]).toEqual([422, 'answered, and erased since']);
    await untilDestroyed(service, user_id);
    erased = user_id;
    // The deal has a snapshot from the stop on.
    await holdUntilSnapshot(service, key, 'inn');
    held.set('Redis', await contentOf(servers.redisUrl));
    await service.stop();
    ({ printed } = service);
    held.set('the log', texts(await eventsOf(service.dataDir)));
    documents = await documentsOf(sharedViewsOf(service.dataDir, servers) ?? '');
    held.set('MongoDB', texts(documents));
  });
  afterAll(async () => {
    await discardLeftovers();
    await servers?.stop();
  });

  it.each(['the log', 'MongoDB', 'Redis'])('keep people’s data and secrets out of %s', (server) => {
    expect(findIn(server, Buffer.from(held.get(server) ?? ''), personal)).toEqual([]);
  });

  it('G12.1: have no key, no card and no kept answer of a user who is erased', () => {
    const of = (collection: string): Json[] => documents[collection];
    expect(of('person_keys').find(({ _id }) => _id === erased)).toMatchObject({ wrapped: null });
    expect(of('vault').filter(({ sealed }) => sealed !== null && sealed !== undefined)).toEqual([]);
    // The other one is that of a reseller's buyer, who is not erased.
    const answers = of('idempotency_records').filter(({ person }) => person !== undefined);
    expect(answers.map(({ state, answer }) => `${state} ${answer === null}`).toSorted()).toEqual([
      'done false',
      'gone true',
    ]);
  });

  it('print none of it', () => {
    expect(printed).toContain('"route":"/api/v3/resellers/purchases"');
    expect(findIn('printed', Buffer.from(printed), personal)).toEqual([]);
  });

  it('have what this search can find: the codes of coupons', () => {
    for (const server of ['the log', 'MongoDB'])
      expect([server, held.get(server)]).toEqual([server, expect.stringContaining(CODES[0] ?? '')]);
    expect(held.get('Redis')).toContain('followers');
    // A part of a snapshot, which is binary.
    expect(held.get('MongoDB')).toContain('next_number');
  });
});

/** Waits until the log says that the vault has no number of a user any more. */
async function untilDestroyed(service: RunningService, user: string): Promise<void> {
  for (let looks = 0; ; looks += 1) {
    const token = service.auditorToken;
    const { text } = await service.ask('GET', `/auditors/streams/wallet-${user}`, { token });
    if (text.includes('card-number-destroyed')) return;
    if (looks > 300) throw new Error(text);
    await pause(100);
  }
}

/** Content as JSON, with its binary parts as they are. */
function texts(content: unknown): string {
  return JSON.stringify(content, function (this: Record<string, unknown>, name: string, value: unknown) {
    const own = this[name];
    if (own instanceof Binary) return Buffer.from(own.value()).toString('latin1');
    return typeof value === 'bigint' ? String(value) : value;
  });
}

/** Every key of a Redis, with its value. */
async function contentOf(url: string): Promise<string> {
  const redis = new Redis(url);
  try {
    const found: unknown[] = [];
    for (const key of await redis.keys('*')) {
      const type = await redis.type(key);
      if (type === 'string') found.push([key, await redis.get(key)]);
      else if (type === 'hash') found.push([key, await redis.hgetall(key)]);
      else if (type === 'list') found.push([key, await redis.lrange(key, 0, -1)]);
      else if (type === 'set') found.push([key, await redis.smembers(key)]);
      else if (type === 'zset') found.push([key, await redis.zrange(key, '0', '-1')]);
      else if (type === 'stream') found.push([key, await redis.xrange(key, '-', '+')]);
      else if (type !== 'none') throw new Error(`${key} is a ${type}, which this search does not read`);
    }
    return texts(found);
  } finally {
    redis.disconnect();
  }
}
