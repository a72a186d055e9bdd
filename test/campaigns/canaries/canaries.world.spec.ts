import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findIn, findInFolder, type Canaries, type Find } from '../../support/canaries.js';
import { BUYER, resell, subscribe, SUBSCRIBED_FROM } from './buyer.js';
import { Collector } from '../../support/collector.js';
import { holdUntilSnapshot } from '../../support/many-holds.js';
import { discardLeftovers, newDataDir, RunningService, type Answer } from '../../support/running-service.js';

const PERSON = {
  email: 'Quetzal.Zephyrine@canary-mail.example',
  first_name: 'Quetzalcoatlina',
  last_name: 'Zephyrinsdottir',
  birthday: '1931-12-29',
  postal_code: 'QX7-99ZK-Q',
  source: 'canary-source-kestrel',
  token: 'partner-token-of-the-canary',
  partner_data: { preferred_categories: ['canary-category-linnet'], shoe: 'canary-shoe-size-44' },
  session_id: 'canary-session-bullfinch',
};
const CODES = ['CODE-CANARY-GOLDFINCH', 'CODE-CANARY-SISKIN', 'CODE-CANARY-SERIN'];
const WRONG_KEY = 'a-key-that-opens-nothing-canary-wren';
const IDEMPOTENCY_KEY = 'idempotency-key-canary-robin';

/** The files with secrets: each secret may only be in its own file. */
const PRIVATE = ['master.key', 'operator.token', 'auditor.token', 'demo.env'] as const;

/** Deals with units to sell, and where their snapshots are. */
const DEALS = ['spa', 'inn'] as const;
const SNAPSHOTS = join('views', 'snapshots');

/** Routes of calls with people's data, which the log must name without it. */
const OF_PEOPLE = ['/api/v3/resellers/purchases', '/users/:user_id/subscriptions'] as const;

const byName = (a: Find, b: Find): number => (a.canary < b.canary ? -1 : 1);

/** Without the outbox: its mails go to the people themselves. */
function outsideMails(finds: readonly Find[]): readonly Find[] {
  return finds.filter(({ place }) => !place.startsWith('outbox/')).sort(byName);
}

describe('A4: a secret', () => {
  const dataDir = newDataDir();
  let printed = '';
  let inUse: readonly Find[];
  let afterKill: readonly Find[];
  /** The streams that have snapshots. */
  let snapshots: readonly string[];
  const personal: Canaries = {
    ...(Object.fromEntries(Object.entries(PERSON).filter(([, value]) => typeof value === 'string')) as Canaries),
    'email in small letters': PERSON.email.toLowerCase(),
    category: PERSON.partner_data.preferred_categories[0] ?? '',
    shoe: PERSON.partner_data.shoe,
    'source of a subscription': SUBSCRIBED_FROM,
    ...(Object.fromEntries(Object.entries(BUYER).map(([name, value]) => [`${name} of a buyer`, value])) as Canaries),
  };
  const codes: Canaries = Object.fromEntries(CODES.map((code) => [code, code]));
  const secrets: Record<string, string | Buffer> = { 'wrong key': WRONG_KEY, 'idempotency key': IDEMPOTENCY_KEY };
  const kept: Record<string, string> = {};

  let collector: Collector;
  const start = (): Promise<RunningService> =>
    RunningService.start({
      dataDir,
      env: { LOG_LEVEL: 'debug', DEMO: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    });
  const end = async (service: RunningService, how: 'stop' | 'kill'): Promise<void> => {
    await service[how]();
    printed += service.printed;
  };

  beforeAll(async () => {
    collector = await Collector.start();
    const service = await start();
    await everyCall(service, secrets);
    for (const file of PRIVATE) kept[file] = secretOf(readFileSync(join(dataDir, file), 'utf8'), file);
    secrets['master key, as bytes'] = Buffer.from(kept['master.key'] ?? '', 'hex');
    inUse = findInFolder(dataDir, { ...personal, ...secrets, ...kept });
    await end(service, 'kill');
    afterKill = findInFolder(dataDir, { ...personal, ...secrets, ...kept });
    const again = await start();
    expect((await again.health()).status).toBe(200);
    // Each deal that sold has a snapshot from now on, and the service begins with it once more.
    for (const deal of DEALS) await holdUntilSnapshot(again, String(secrets['api key']), deal);
    await end(again, 'stop');
    snapshots = streamsOfSnapshots(dataDir);
    const third = await start();
    for (const deal of DEALS) await holdUntilSnapshot(third, String(secrets['api key']), deal);
    await end(third, 'stop');
  });
  afterAll(async () => {
    await discardLeftovers();
    await collector.stop();
  });

  /** Each secret in its own private file; the master key is there in hex. */
  const own = [
    ...PRIVATE.map((file) => ({ canary: file, place: file, form: 'raw' })),
    { canary: 'master key, as bytes', place: 'master.key', form: 'hex' },
  ].toSorted(byName);

  it('is in no file while the service runs, except in its own private one', () => {
    expect(outsideMails(inUse)).toEqual(own);
  });

  it('is in no other file that a kill leaves behind', () => {
    expect(outsideMails(afterKill)).toEqual(own);
  });

  it('is in no other file after a stop', () => {
    expect(outsideMails(findInFolder(dataDir, { ...personal, ...secrets, ...kept }))).toEqual(own);
  });

  it('is in no snapshot, and neither is a redemption code', () => {
    expect(snapshots).toEqual(DEALS.map((deal) => `inventory-${deal}`).sort());
    expect(streamsOfSnapshots(dataDir)).toEqual(snapshots);
    expect(findInFolder(join(dataDir, SNAPSHOTS), { ...personal, ...secrets, ...kept, ...codes })).toEqual([]);
  });

  it('is never printed, even at the most detailed log level, and neither are redemption codes', () => {
    expect(printed).toContain('ready at');
    for (const route of [
      '/users/:user_id',
      '/coupons/:coupon_id/redeem',
      '/operators/partners/:id/keys/:key_id',
      ...OF_PEOPLE,
    ])
      expect(printed).toContain(`"route":"${route}"`);
    expect(findIn('printed', Buffer.from(printed), { ...personal, ...secrets, ...kept, ...codes })).toEqual([]);
  });

  it('G9: reaches no collector of traces, and neither do redemption codes', () => {
    const routes = new Set(collector.spans.map(({ attributes }) => attributes['http.route']));
    for (const route of OF_PEOPLE) expect(routes).toContain(route);
    expect(findIn('traces', collector.bytes, { ...personal, ...secrets, ...kept, ...codes })).toEqual([]);
  });

  it('can be found by this search: it finds the redemption codes in the log', () => {
    expect(Object.keys(secrets)).toEqual(
      expect.arrayContaining(['api key', 'issued key', 'revoked key', 'v3 password', 'new password', 'issued token']),
    );
    expect(findInFolder(dataDir, codes).map(({ canary }) => canary)).toEqual(expect.arrayContaining(CODES));
  });
});

/** The streams whose snapshots are in a data folder. Each file begins with a line of JSON. */
function streamsOfSnapshots(dataDir: string): readonly string[] {
  const folder = join(dataDir, SNAPSHOTS);
  return readdirSync(folder)
    .map((file) => {
      const [head = ''] = readFileSync(join(folder, file), 'latin1').split('\n', 1);
      return (JSON.parse(head) as { readonly stream: string }).stream;
    })
    .sort();
}

/** The secret in a private file, without the words around it. */
function secretOf(content: string, file: string): string {
  const secret = file === 'demo.env' ? /API_KEY=["']?([^"'\s]+)/.exec(content)?.[1] : content.trim();
  if (secret === undefined || secret.length < 20) throw new Error(`${file} holds no secret`);
  return secret;
}

/** Makes every call that takes or returns a secret, with its errors; adds the new secrets. */
async function everyCall(service: RunningService, secrets: Record<string, string | Buffer>): Promise<void> {
  const made = await service.operate('POST', '/partners', { name: 'Acme', slug: 'acme' });
  secrets['api key'] = made.api_key;
  secrets['v3 password'] = made.password;
  const extra = await service.operate('POST', `/partners/${made.partner.id}/keys`);
  secrets['issued key'] = extra.api_key;
  const revoked = await service.operate('POST', `/partners/${made.partner.id}/keys`);
  secrets['revoked key'] = revoked.api_key;
  await service.operate('DELETE', `/partners/${made.partner.id}/keys/${revoked.key_id}`);
  secrets['new password'] = (await service.operate('POST', `/partners/${made.partner.id}/password`)).password;
  const issued = await service.operate('POST', '/tokens', { name: 'ann', role: 'operator' });
  secrets['issued token'] = issued.token;
  await service.newDeal('spa', { stock: CODES.length, redemption_code_pool: CODES });

  const key: string = made.api_key;
  const idempotent = { 'idempotency-key': IDEMPOTENCY_KEY };
  const ask = async (status: number, ...asked: Parameters<RunningService['ask']>): Promise<Answer> => {
    const answer = await service.ask(...asked);
    expect({ asked, status: answer.status, text: answer.text }).toMatchObject({ status });
    return answer;
  };
  const user = await ask(200, 'POST', '/users', { key, body: PERSON, headers: idempotent });
  const userId: string = user.body.user_id;
  await ask(200, 'POST', '/users', { key, body: PERSON, headers: idempotent });
  await ask(422, 'POST', '/users', { key, body: PERSON });
  await ask(422, 'POST', '/users', { key, body: { ...PERSON, birthday: `${PERSON.birthday}x`, credits: 'canary' } });
  await ask(400, 'POST', '/users', { key, body: `{"email":"${PERSON.email}",` });
  await ask(200, 'GET', `/users/${userId}`, { key });
  await ask(401, 'GET', `/users/${userId}`, { key: WRONG_KEY });
  await ask(401, 'GET', `/v1/deals?api_key=${WRONG_KEY}`);
  await ask(401, 'GET', `/users/${userId}`, { key: revoked.api_key });
  await ask(401, 'GET', '/operators/partners', { token: WRONG_KEY });
  await ask(200, 'GET', `/v1/deals?api_key=${key}`);
  await ask(404, 'GET', `/no/such/path?api_key=${key}&email=${encodeURIComponent(PERSON.email)}`);
  await ask(404, 'GET', `/users/${encodeURIComponent(PERSON.email)}?api_key=${key}`);

  const own = await ask(200, 'POST', `/users/${userId}/access_tokens`, {
    key,
    body: { expires_in: 600, scope: 'user,deal', access: 'read,write' },
    headers: { 'idempotency-key': `${IDEMPOTENCY_KEY}-token` },
  });
  const token: string = own.body.access_token.id;
  secrets['access token'] = token;
  await ask(200, 'GET', '/user', { token });
  await ask(200, 'GET', `/v1/deals?per_page=1&access_token=${token}`);
  await ask(200, 'PUT', '/user', {
    body: { access_token: token, postal_code: PERSON.postal_code },
    headers: idempotent,
  });
  await ask(422, 'PUT', `/user?access_token=${token}`, { body: { source: PERSON.source } });
  await ask(403, 'GET', `/purchases?access_token=${token}`);
  await ask(404, 'GET', `/no/such/path?access_token=${token}`);
  await ask(401, 'GET', `/user?access_token=${WRONG_KEY}`);

  const held = await ask(200, 'POST', '/purchases/reserve', { key, body: { deal_id: 'spa', num_bought: 2 } });
  const purchase = `/purchases/${held.body.purchase.id}`;
  const headers = { 'idempotency-key': `${IDEMPOTENCY_KEY}-claim` };
  const claimed = await ask(200, 'PUT', `${purchase}/claim`, { key, body: { user_id: userId }, headers });
  await ask(200, 'PUT', `${purchase}/claim`, { key, body: { user_id: userId }, headers });
  await ask(422, 'PUT', `${purchase}/release`, { key });
  const [coupon] = claimed.body.purchase.coupons;
  expect(CODES).toContain(coupon.redemption_code);
  await ask(200, 'PUT', `/coupons/${coupon.id}/redeem`, { key });
  await ask(422, 'PUT', `/coupons/${coupon.id}/redeem?redemption_code=${coupon.redemption_code}`, { key });
  await ask(200, 'GET', `/users/${userId}/coupons`, { key });
  await ask(200, 'GET', `/users/${userId}/purchases?api_key=${extra.api_key}`);
  await ask(200, 'GET', `/auditors${purchase}/history`, { token: service.auditorToken });

  const credentials = { key, basic: `acme:${String(secrets['new password'])}` };
  await service.newDeal('inn', { refundable: true });
  await resell(service, credentials, 'inn');
  await service.operate('PUT', '/regions/testland', { latitude: 42.36, longitude: -71.06, radius: 20 });
  await subscribe(service, credentials, { id: userId, email: PERSON.email });
}
