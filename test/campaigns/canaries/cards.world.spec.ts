import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verify } from '@node-rs/argon2';
import { EmbeddedState } from '#adapters/embedded';
import { readLedger } from '#adapters/sandbox-gateway';
import { thisMachine } from '#adapters/machine';
import { loadMasterKey, PersonalData } from '#eventsourcing';
import { findIn, findInFolder, type Canaries, type Find } from '../../support/canaries.js';
import { onceCaughtUp } from '../../support/caught-up.js';
import { cardOf, DECLINED_CARD } from '../../support/cards.js';
import { Collector } from '../../support/collector.js';
import { eventsOf, viewRowsOf } from '../../support/data-folder.js';
import { heapSnapshotsInto, stringsOnHeap } from '../../support/heap-snapshot.js';
import { discardLeftovers, newDataDir, RunningService, type Answer, type Json } from '../../support/running-service.js';

/** Has a valid check digit, and appears nowhere else. */
const NUMBER = '6304885120947713562';
/** The same except for its last digit, so that it is not a card number. */
const NO_NUMBER = '6304885120947713561';
/** The sandbox's silent card, written in a way that only this test uses. */
const SILENT = '4000-0000 00000119';
/** Four digits appear by chance; as a whole text with a leading zero they do not. */
const VERIFICATION_VALUE = '0739';
const NO_VERIFICATION_VALUE = 'verification-canary-ouzel-2271';
const PASSWORD = 'password-canary-nightjar-55081';
const OTHER_PASSWORD = 'password-canary-dotterel-90417';
const grouped = (between: string): string => (NUMBER.match(/.{1,4}/g) ?? []).join(between);

const CANARIES: Canaries = {
  'card number': NUMBER,
  'card number, in fours': grouped(' '),
  'card number, with dashes': grouped('-'),
  'a wrong card number': NO_NUMBER,
  'the silent card': SILENT,
  'a wrong verification value': NO_VERIFICATION_VALUE,
  password: PASSWORD,
  'another password': OTHER_PASSWORD,
};

describe('A4 D9: card numbers, verification values and passwords', () => {
  const dataDir = newDataDir();
  const snapshots = join(newDataDir(), 'snapshots');
  const answers: Answer[] = [];
  let printed = '';
  let collector: Collector;
  let service: RunningService;
  let key: string;
  let user: { user_id: string; credit_card_id: string };
  let inUse: readonly Find[];
  let afterKill: readonly Find[];
  let whileCharging: readonly string[];
  let afterwards: readonly string[];

  beforeAll(async () => {
    mkdirSync(snapshots);
    collector = await Collector.start();
    service = await start({ GATEWAY_TIMEOUT: '12000', ...heapSnapshotsInto(snapshots) });
    ({ key } = await service.newPartner('acme'));
    await service.newDeal('spa', { stock: null });
    await service.newDeal('few', { stock: 2, max_per_user: 1 });
    await service.newDeal('none', { stock: 0 });
    const charging = silentPurchase();
    await service.ask('GET', '/v1/deals', { key });
    whileCharging = await stringsOnHeap(service, snapshots);
    expect((await charging).body.purchase).toMatchObject({ payment_state: 'pending', coupons: [] });
    // The work list charges it, with the number from the vault.
    await service.forward(60);
    await everyCall();
    const { id } = (await charging).body.purchase;
    const charged = await onceCaughtUp(() => service.ask('GET', `/purchases/${id}`, { key }));
    answers.push(charged);
    expect(charged.body.purchase).toMatchObject({ payment_state: 'charged' });
    await lastCalls();
    afterwards = await stringsOnHeap(service, snapshots);
    inUse = findInFolder(dataDir, CANARIES);
    await service.kill();
    printed += service.printed;
    afterKill = findInFolder(dataDir, CANARIES);
    service = await start();
    expect((await service.health()).status).toBe(200);
    await service.stop();
    printed += service.printed;
  });
  afterAll(async () => {
    await discardLeftovers();
    await collector.stop();
  });

  it("D7: are in no file while in use, after a kill or after a stop; nor in the sandbox's ledger", () => {
    expect({ inUse, afterKill, afterStop: findInFolder(dataDir, CANARIES) }).toEqual({
      inUse: [],
      afterKill: [],
      afterStop: [],
    });
    expect(readLedger(join(dataDir, 'sandbox-gateway.jsonl')).length).toBeGreaterThan(3);
  });

  it('are in no answer: no error repeats the request', () => {
    const statuses = new Set(answers.map(({ status }) => status));
    // Only a busy machine has it.
    statuses.delete(503);
    expect(statuses).toEqual(new Set([200, 400, 401, 404, 405, 413, 415, 422]));
    for (const { bytes, headers } of answers) {
      expect(findIn('answer', Buffer.concat([Buffer.from(JSON.stringify(headers)), bytes]), CANARIES)).toEqual([]);
      expect(bytes.toString()).not.toMatch(ALONE);
    }
  });

  it('are never printed, even at the most detailed log level', () => {
    expect(printed).toContain('ready at');
    expect(findIn('printed', Buffer.from(printed), CANARIES)).toEqual([]);
    expect(printed).not.toContain('verification_value');
    expect(printed).not.toMatch(ALONE);
  });

  it('G9: reach no collector of traces', () => {
    expect(collector.spans.filter(({ name }) => name === 'gateway charge').length).toBeGreaterThan(3);
    expect(findIn('traces', collector.bytes, CANARIES)).toEqual([]);
    expect(JSON.stringify(collector.spans.map(({ name, attributes }) => [name, attributes]))).not.toMatch(ALONE);
  });

  it('D7: a verification value is in no event, no row of a view and no line of the ledger', async () => {
    const events = await eventsOf(dataDir);
    expect(events.filter(({ type }) => type === 'purchase-charged.v1').length).toBeGreaterThan(3);
    const kept = [
      ...events.map(({ data, metadata }) => [data, metadata]),
      ...(await viewRowsOf(dataDir)).values(),
      ...readLedger(join(dataDir, 'sandbox-gateway.jsonl')),
    ];
    for (const each of kept) {
      const all = new Set(partsOf(each));
      expect(
        ['verification_value', VERIFICATION_VALUE, Number(VERIFICATION_VALUE)].filter((one) => all.has(one)),
      ).toEqual([]);
    }
  });

  it('can be found by this search: the vault has the sealed number, and the user the hash of the password', async () => {
    const master = loadMasterKey({ file: join(dataDir, 'master.key'), randomness: thisMachine.randomness });
    const state = await EmbeddedState.open(join(dataDir, 'state.db'), () => master);
    try {
      const card = JSON.parse(String(await state.vault.get(user.credit_card_id))) as unknown;
      expect(card).toEqual({ number: NUMBER, month: '12', year: '2035', zip_code: '02114' });
      const registered = (await eventsOf(dataDir)).find(
        ({ stream, data }) => stream.startsWith('user-') && (data as { user_id: string }).user_id === user.user_id,
      );
      const { password } = registered?.data as { password: string };
      const hash = await new PersonalData(state.keys, thisMachine.randomness).open<{ password: string }>(
        user.user_id,
        password,
      );
      expect(await verify(hash?.password ?? '', PASSWORD)).toBe(true);
    } finally {
      await state.close();
    }
  });

  describe('on the heap', () => {
    const found = (strings: readonly string[]): readonly string[] => [
      ...Object.entries(CANARIES).flatMap(([name, canary]) =>
        strings.some((each) => each.includes(String(canary))) ? [name] : [],
      ),
      ...(strings.includes(VERIFICATION_VALUE) ? ['verification value'] : []),
    ];

    it('are there while a card is charged', () => {
      expect(found(whileCharging)).toEqual(['the silent card', 'password', 'verification value']);
    });

    it('D7: are gone once the calls are answered, even if their connections stay open', () => {
      expect(afterwards.length).toBeGreaterThan(10_000);
      expect(found(afterwards)).toEqual([]);
    });
  });

  async function start(env: Readonly<Record<string, string>> = {}): Promise<RunningService> {
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    return RunningService.start({ dataDir, env: { LOG_LEVEL: 'debug', DEMO: 'true', ...traced, ...env } });
  }

  /** Sends a request and expects a status; a string is sent unchanged as the body. */
  async function ask(
    status: number,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    const answer = await service.ask(method, path, {
      key,
      ...(body === undefined ? {} : { body }),
      headers: headers ?? {},
    });
    answers.push(answer);
    expect({ method, path, body, status: answer.status, text: answer.text }).toMatchObject({ status });
    return answer;
  }

  /** It is sent again after a 503: on a busy machine, the snapshot of the heap takes longer than a call may. */
  async function silentPurchase(): Promise<Answer> {
    const body = order({ user: canaryUser('silent@example.org'), credit_card: canaryCard({ number: SILENT }) });
    for (;;) {
      const headers = { 'idempotency-key': 'canary-silent' };
      const answer = await service.ask('POST', '/v1/purchases/full.json', { key, body, headers });
      answers.push(answer);
      if (answer.status === 503) continue;
      expect(answer).toMatchObject({ status: 200 });
      return answer;
    }
  }

  /** Makes every call that takes a card or a password, with every error that it has. */
  async function everyCall(): Promise<void> {
    const full = '/v1/purchases/full.json';
    const idempotent = { 'idempotency-key': 'canary-once' };
    const first = await ask(200, 'POST', full, order(), idempotent);
    expect((await ask(200, 'POST', full, order(), idempotent)).text).toBe(first.text);
    await ask(422, 'POST', full, order({ quantity: 2 }), idempotent);
    user = { user_id: first.body.purchase.user_id, credit_card_id: first.body.purchase.credit_card_id };
    await ask(200, 'GET', `/purchases/${first.body.purchase.id}`);
    await ask(200, 'POST', full, order({ quantity: 2 }));
    const byId = { deal_id: 'spa', quantity: 1, expected_price_per_unit: 1000, ...user };
    await ask(200, 'POST', '/purchases', byId);
    await ask(200, 'POST', '/purchases', {
      ...byId,
      credit_card: canaryCard(),
      user: canaryUser('unread@example.org'),
    });
    for (const number of [grouped(' '), grouped('-'), NUMBER]) {
      const { body } = await ask(200, 'POST', '/credit_cards', { user_id: user.user_id, ...canaryCard({ number }) });
      expect(body.credit_card_id).toBe(user.credit_card_id);
    }
    await ask(200, 'GET', `/credit_cards?user_id=${user.user_id}`);
    await ask(200, 'PUT', `/users/${user.user_id}`, { password: PASSWORD, password_confirmation: PASSWORD });
    await ask(422, 'PUT', `/users/${user.user_id}`, { password: PASSWORD, password_confirmation: OTHER_PASSWORD });

    // The purchase alone.
    await ask(422, 'POST', full, order({ expected_price_per_unit: 1 }));
    await ask(422, 'POST', full, order({ quantity: 0 }));
    await ask(422, 'POST', full, order({ deal_id: 'few', quantity: 2 }));
    await ask(422, 'POST', full, order({ deal_id: 'none' }));
    await ask(422, 'POST', full, order({ credit_card: canaryCard({ number: DECLINED_CARD }) }));
    // Its sections.
    await ask(422, 'POST', full, order({ deal_id: 'nowhere', user: canaryUser('nobody@example.org') }));
    const people: Json[] = [
      { ...canaryUser('nobody@example.org'), password_confirmation: OTHER_PASSWORD },
      { ...canaryUser('nobody@example.org'), pass: OTHER_PASSWORD, pass_confirmation: PASSWORD },
      { ...canaryUser('nobody@example.org'), password: [PASSWORD], password_confirmation: { PASSWORD } },
      { ...canaryUser(PASSWORD), first_name: { PASSWORD } },
      PASSWORD,
    ];
    for (const person of people) await ask(422, 'POST', full, order({ user: person }));
    const cards: Json[] = [
      canaryCard({ number: NO_NUMBER }),
      canaryCard({ verification_value: NO_VERIFICATION_VALUE }),
      canaryCard({ month: NUMBER, year: NUMBER, zip_code: [NUMBER] }),
      canaryCard({ number: [NUMBER], verification_value: { [VERIFICATION_VALUE]: VERIFICATION_VALUE } }),
      canaryCard({ year: '2011' }),
      NUMBER,
      [NUMBER, VERIFICATION_VALUE],
    ];
    for (const card of cards) {
      await ask(422, 'POST', full, order({ user: canaryUser('nobody@example.org'), credit_card: card }));
      if (!Array.isArray(card) && card !== NUMBER) await ask(422, 'POST', '/credit_cards', { ...user, ...card });
    }
    await ask(422, 'POST', full, order({ credit_card: undefined, credit_card_id: NUMBER }));
    await ask(422, 'POST', full, order({ user: undefined, user_id: NUMBER }));
    await ask(422, 'POST', full, order({ shipping_address: NUMBER }));
    await ask(422, 'POST', '/credit_cards', { user_id: NUMBER, ...canaryCard() });
    await ask(422, 'POST', '/purchases', { ...byId, credit_card_id: NUMBER, ...canaryCard() });
    await ask(404, 'POST', '/purchases', { ...byId, deal_id: NUMBER });

    // Malformed requests.
    const text = JSON.stringify(order());
    await ask(400, 'POST', full, text.slice(0, -2));
    await ask(400, 'POST', full, `${text}${PASSWORD}`);
    await ask(400, 'POST', full, `${'{"credit_card":'.repeat(70)}${JSON.stringify(NUMBER)}${'}'.repeat(70)}`);
    await ask(415, 'POST', full, `number=${NUMBER}&pass=${PASSWORD}`, { 'content-type': 'text/canary' });
    await ask(413, 'POST', full, text.replace(/}$/, `,"more":"${'x'.repeat(2 ** 20)}"}`));
    const query = new URLSearchParams({
      number: NUMBER,
      verification_value: VERIFICATION_VALUE,
      password: PASSWORD,
    }).toString();
    await ask(404, 'GET', `/no/such/path?${query}`);
    await ask(405, 'POST', `/purchases/fully?${query}`, order());
    await ask(404, 'GET', `/purchases/${NUMBER}?${query}`);
    await ask(404, 'GET', `/users/${NUMBER}`);
    await ask(404, 'PUT', `/credit_cards/${NUMBER}/default?${query}`, user);
    await ask(422, 'GET', `/credit_cards?user_id=${user.user_id}&per_page=${NO_VERIFICATION_VALUE}`);
    await ask(404, 'GET', `/users/%E0%A4%A?${query}`);
    await ask(422, 'POST', `${full}?${query}`, { deal_id: NUMBER, quantity: NUMBER, user: query });
    for (const api_key of [NUMBER, PASSWORD]) {
      await ask(401, 'POST', full, order(), { 'x-api-key': api_key });
      await ask(401, 'POST', `${full}?${query}`, order(), { 'x-api-key': api_key });
    }
  }

  /** Sends secrets in the last calls of several connections, which then stay open; calls in turn would share one connection. */
  async function lastCalls(): Promise<void> {
    const full = '/v1/purchases/full.json';
    const calls = Array.from({ length: 4 }, (_, index) => [
      ask(200, 'POST', full, order({ user: canaryUser(`last-${index}@example.org`) })),
      ask(422, 'POST', full, order({ user: { email: PASSWORD, password: PASSWORD } })),
      ask(422, 'POST', '/credit_cards', { ...user, ...canaryCard({ year: '2011' }) }),
      ask(400, 'POST', full, JSON.stringify(order()).slice(0, -2)),
      ask(404, 'GET', `/no/such/path?number=${NUMBER}&password=${PASSWORD}`),
    ]);
    await Promise.all(calls.flat());
  }

  function order(more: Json = {}): Json {
    const buyer = { user: canaryUser('Buyer@example.org'), credit_card: canaryCard() };
    return { deal_id: 'spa', quantity: 1, ...buyer, ...more };
  }
});

/** The verification value as a word of its own. */
const ALONE = new RegExp(`\\b${VERIFICATION_VALUE}\\b`);

function canaryCard(more: Json = {}): Json {
  return { ...cardOf(NUMBER), verification_value: VERIFICATION_VALUE, ...more };
}

function canaryUser(email: string): Json {
  return { email, password: PASSWORD, password_confirmation: PASSWORD };
}

/** Every name and every value of a JSON value, at any depth. */
function partsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(partsOf);
  if (typeof value !== 'object' || value === null) return [value];
  return Object.entries(value).flatMap(([name, part]) => [name, ...partsOf(part)]);
}
