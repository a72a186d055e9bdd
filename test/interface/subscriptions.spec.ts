import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { breakOff } from '../support/break-off.js';
import { itOnEmbedded } from '../support/on-embedded.js';
import { NO_USER, fault, unableToFind, validationFailed } from '../support/refusals.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const NO_SUBSCRIPTION = unableToFind('you have no subscription with this id');
const EAST = { time_zone: 'America/New_York' };
/** ZIPs of the three regions, and of none. */
const [BOSTON, NEW_YORK, CAPE, NOWHERE] = ['02114', '10001', '02601', '90210'];

describe('subscriptions', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    rival = await service.newPartner('rival');
    for (const [slug, name, latitude, longitude] of [
      ['boston', 'Boston', 42.36, -71.06],
      ['new-york', 'New York', 40.75, -73.99],
      ['cape-cod', 'Cape Cod', 41.65, -70.29],
    ] as const) {
      await service.operate('PUT', `/regions/${slug}`, { ...EAST, name, latitude, longitude, radius: 20 });
    }
  });
  afterAll(() => service.discard());

  let users = 0;
  const email = (): string => `User-${(users += 1)}@example.org`;
  const newUser = (key = acme.key): Promise<string> => service.newUser(key, email());
  const subscribe = (user: string, body: object, key = acme.key, headers = {}): Promise<Answer> =>
    service.ask('POST', `/users/${user}/subscriptions`, { key, body, headers });
  const idOf = async (user: string, zip: Json = BOSTON): Promise<string> =>
    (await subscribe(user, { zip })).body.subscription.id;
  const get = (id: string, key = acme.key): Promise<Answer> =>
    service.ask('GET', `/subscriptions/${encodeURIComponent(id)}`, { key });
  const set = (id: string, status: Json, key = acme.key): Promise<Answer> =>
    service.ask('PUT', `/subscriptions/${encodeURIComponent(id)}`, { key, body: { status } });
  const list = (user: string, query = '', key = acme.key): Promise<Answer> =>
    service.ask('GET', `/users/${encodeURIComponent(user)}/subscriptions${query}`, { key });
  const regionsOf = ({ body }: Answer): readonly string[] =>
    body.subscriptions.map(({ region_id }: Json) => region_id as string);
  const hide = (user: string, is_deleted: boolean): Promise<Answer> =>
    service.ask('PUT', `/users/${user}`, { key: acme.key, body: { is_deleted } });
  const tokenOf = async (user: string): Promise<string> => {
    const body = { expires_in: 600, scope: 'subscription', access: 'read,write' };
    return (await service.ask('POST', `/users/${user}/access_tokens`, { key: acme.key, body })).body.access_token.id;
  };

  it('4.12.1, 4.12.2, 4.12.3, 2.11.1, 2.11.2, 2.11.3, 2.11.4, 4.12, 2.11, A9, B1, B2: are made from a ZIP, shown and listed', async () => {
    const user_id = await newUser();
    expect((await list(user_id)).text).toBe('{"status":"success","subscriptions":[]}');
    const made = await subscribe(user_id, { zip: BOSTON, source: 'footer' });
    const { id, created_at } = made.body.subscription;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(created_at).toMatch(/^\w{3} \w{3} \d\d \d\d:\d\d:\d\d UTC \d{4}$/);
    const shown = JSON.stringify({
      id,
      user_id,
      status: 'active',
      confirmed: false,
      region_id: 'boston',
      region_name: 'Boston',
      zip: BOSTON,
      created_at,
      source: 'footer',
    });
    expect([made.status, made.text]).toEqual([200, `{"status":"success","subscription":${shown}}`]);
    expect((await get(id)).text).toBe(made.text);
    expect((await list(user_id)).text).toBe(`{"status":"success","subscriptions":[${shown}]}`);
    expect((await subscribe(await newUser(), { zip: BOSTON })).body.subscription.source).toBeNull();
  });

  it.each<readonly [sent: Json, zip: string]>([
    [2114, '02114'],
    ['2114', '02114'],
    ['02114', '02114'],
    ['02114-1234', '02114'],
    [10001, '10001'],
  ])('4.12, B8, A2: the ZIP %p is %s', async (sent, zip) => {
    expect((await subscribe(await newUser(), { zip: sent })).body.subscription.zip).toBe(zip);
  });

  it('4.12.4, 3.6.1, 3.6.2, 3.6: the status is set, and records nothing if it is the same', async () => {
    const id = await idOf(await newUser());
    const ended = await set(id, 'inactive');
    expect([ended.status, ended.body.subscription.status]).toEqual([200, 'inactive']);
    const again = await set(id, 'inactive');
    expect([again.text, again.headers['holdfast-position']]).toEqual([ended.text, undefined]);
    expect((await get(id)).text).toBe(ended.text);
    expect((await set(id, 'active')).body.subscription.status).toBe('active');
    const asleep = await set(id, 'asleep');
    const words = fault('invalid', 'must be one of active, inactive', 'status', 'subscription');
    expect([asleep.status, asleep.text]).toEqual([422, validationFailed(words)]);
    const none = await set(id, undefined);
    const missing = fault('missing_field', 'is missing', 'status', 'subscription');
    expect([none.status, none.text]).toEqual([422, validationFailed(missing)]);
  });

  it('E5, H3: a user has one per region: subscribed again, it is the same one as it was, and active', async () => {
    const user_id = await newUser();
    const first = await subscribe(user_id, { zip: BOSTON, source: 'footer' });
    const { id } = first.body.subscription;
    expect((await subscribe(user_id, { zip: '02138', source: 'header' })).text).toBe(first.text);
    await set(id, 'inactive');
    expect((await subscribe(user_id, { zip: BOSTON })).text).toBe(first.text);
    expect((await get(id)).text).toBe(first.text);
    expect(await idOf(user_id, NEW_YORK)).not.toBe(id);
    expect(await idOf(await newUser())).not.toBe(id);
    expect((await list(user_id, '?count=true')).body.count).toBe(2);
  });

  it('E5: twenty calls at once make one', async () => {
    const user_id = await newUser();
    const made = await Promise.all(Array.from({ length: 20 }, () => subscribe(user_id, { zip: BOSTON })));
    expect(new Set(made.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await list(user_id, '?count=true')).body.count).toBe(1);
  });

  it('4.12, 4.1, A10: are listed newest first, in pages that do not overlap', async () => {
    const user_id = await newUser();
    for (const zip of [BOSTON, NEW_YORK, CAPE]) {
      await idOf(user_id, zip);
      await service.forward(1);
    }
    expect(regionsOf(await list(user_id))).toEqual(['cape-cod', 'new-york', 'boston']);
    const pages = await Promise.all([1, 2, 3].map((page) => list(user_id, `?per_page=2&page=${page}`)));
    expect(pages.map(regionsOf)).toEqual([['cape-cod', 'new-york'], ['boston'], []]);
  });

  it('4.12.1, 4.12, E1: an e-mail address in the path, in any case, names its user', async () => {
    const address = email();
    const user_id = await service.newUser(acme.key, address);
    await idOf(user_id);
    const byId = await list(user_id);
    for (const path of [address, address.toUpperCase(), address.replace('@', '%40')]) {
      const answer = await service.ask('GET', `/users/${path}/subscriptions`, { key: acme.key });
      expect([answer.status, answer.text]).toEqual([200, byId.text]);
    }
    expect((await list(address, '?count=true')).body.count).toBe(1);
    const unknown = unableToFind('you have no user with this e-mail address');
    for (const [name, key] of [
      ['nobody@example.org', acme.key],
      [address, rival.key],
    ] as const) {
      const answer = await list(name, '', key);
      expect([answer.status, answer.text]).toEqual([404, unknown]);
    }
    expect((await list(`${'x'.repeat(4000)}@example.org`)).text).toBe(NO_USER);
    await hide(user_id, true);
    expect((await list(address)).text).toBe(NO_USER);
  });

  it('A7: a token names its own user by id or address, and learns of no other address whether somebody has it', async () => {
    const [own, other] = [email(), email()];
    const [user_id] = [await service.newUser(acme.key, own), await service.newUser(acme.key, other)];
    await idOf(user_id);
    const token = await tokenOf(user_id);
    const by = (name: string): Promise<Answer> => service.ask('GET', `/users/${name}/subscriptions`, { token });
    const mine = await list(user_id);
    for (const name of [user_id, own, own.toUpperCase()]) expect((await by(name)).text).toBe(mine.text);
    expect((await service.ask('GET', '/subscriptions', { token })).text).toBe(mine.text);
    const refused = await Promise.all([other, 'nobody@example.org', 'nobody'].map(by));
    for (const { status, body } of refused) {
      expect([status, body.error_msg]).toEqual([403, 'this access token belongs to another user']);
    }
    const free = await service.newUser(acme.key, email());
    const post = await service.ask('POST', `/users/${free}/subscriptions`, { token, body: { zip: BOSTON } });
    expect(post.status).toBe(403);
  });

  it('A6: a user with an access token sets no source', async () => {
    const user_id = await newUser();
    const token = await tokenOf(user_id);
    const ask = (body: object): Promise<Answer> =>
      service.ask('POST', `/users/${user_id}/subscriptions`, { token, body });
    const refused = await ask({ zip: BOSTON, source: 'footer' });
    const words = fault('invalid', 'is valid only with the partner’s own credential', 'source', 'subscription');
    expect([refused.status, refused.text]).toEqual([422, validationFailed(words)]);
    expect((await ask({ zip: BOSTON })).body.subscription.source).toBeNull();
  });

  it('E5, A8: a ZIP that is unknown, or that no active region covers, is refused', async () => {
    const user_id = await newUser();
    const words = (zip: string): string =>
      validationFailed(
        JSON.stringify({
          type: 'invalid',
          message: 'belongs to no region',
          field: 'zip',
          resource: 'subscription',
          detail: `there is no such ZIP as ${zip}, or no active region covers it`,
        }),
      );
    for (const zip of [NOWHERE, '00000']) {
      const refused = await subscribe(user_id, { zip });
      expect([refused.status, refused.text]).toEqual([422, words(zip)]);
    }
    const place = { ...EAST, name: 'Beverly Hills', latitude: 34.09, longitude: -118.4, radius: 20 };
    await service.operate('PUT', '/regions/beverly-hills', { ...place, active: false });
    expect((await subscribe(user_id, { zip: NOWHERE })).status).toBe(422);
    await service.operate('PUT', '/regions/beverly-hills', { active: true });
    expect((await subscribe(user_id, { zip: NOWHERE })).body.subscription.region_id).toBe('beverly-hills');
    await service.operate('PUT', '/regions/beverly-hills', { active: false, name: 'Hills' });
    expect((await list(user_id)).body.subscriptions[0].region_name).toBe('Hills');
  });

  it.each([0, -2114, 2.5, 21, 'boston', '021142', '02114-12', true, [2114], {}, ' ', '٠٢١١٤'])(
    'A8, A2: %p is no ZIP',
    async (zip) => {
      const refused = await subscribe(await newUser(), { zip });
      expect([refused.status, refused.body.errors.map(({ type, field }: Json) => [type, field])]).toEqual([
        422,
        [['invalid', 'zip']],
      ]);
    },
  );

  it('A8, 7.2: one answer names everything that is missing or of the wrong type', async () => {
    const user_id = await newUser();
    const missing = fault('missing_field', 'is missing', 'zip', 'subscription');
    expect((await subscribe(user_id, {})).text).toBe(validationFailed(missing));
    const wrong = await subscribe(user_id, { zip: 'x', source: ['a', 'b'] });
    expect(wrong.body.errors.map(({ field }: Json) => field)).toEqual(['zip', 'source']);
    expect((await subscribe(user_id, { zip: BOSTON, source: 'x'.repeat(256) })).status).toBe(422);
    expect((await subscribe(user_id, { zip: BOSTON, source: 'x'.repeat(255) })).status).toBe(200);
  });

  it('A5, A8, E1: an unknown user, a deleted one and another partner’s have none and get none', async () => {
    const [ann, eve] = [await newUser(), await newUser()];
    const id = await idOf(eve);
    await hide(eve, true);
    for (const [user_id, key] of [
      ['nobody', acme.key],
      [eve, acme.key],
      [ann, rival.key],
    ] as const) {
      for (const refused of [await subscribe(user_id, { zip: BOSTON }, key), await list(user_id, '', key)]) {
        expect([refused.status, refused.text]).toEqual([404, NO_USER]);
      }
    }
    for (const refused of [await get(id), await set(id, 'inactive')]) {
      expect([refused.status, refused.text]).toEqual([404, NO_SUBSCRIPTION]);
    }
    await hide(eve, false);
    expect((await get(id)).body.subscription.status).toBe('active');
  });

  it('A5, A8: an unknown subscription and another partner’s get the same answer', async () => {
    const id = await idOf(await newUser());
    for (const [name, key] of [
      ['nothing', acme.key],
      ['__proto__', acme.key],
      ['x'.repeat(4000), acme.key],
      [id, rival.key],
    ] as const) {
      for (const refused of [await get(name, key), await set(name, 'inactive', key)]) {
        expect([refused.status, refused.text]).toEqual([404, NO_SUBSCRIPTION]);
      }
    }
    expect((await get(id)).body.subscription.status).toBe('active');
  });

  itOnEmbedded('A11: repeats after a crash change nothing that was changed meanwhile', async () => {
    const on = { service: await RunningService.start() };
    const { key } = await on.service.newPartner('acme');
    const place = { ...EAST, name: 'Boston', latitude: 42.36, longitude: -71.06, radius: 20 };
    await on.service.operate('PUT', '/regions/boston', place);
    const user = await on.service.newUser(key, 'ann@example.org');
    const post = (headers = {}): Promise<Answer> =>
      on.service.ask('POST', `/users/${user}/subscriptions`, { key, body: { zip: BOSTON }, headers });
    const put = (id: string, status: string, headers = {}): Promise<Answer> =>
      on.service.ask('PUT', `/subscriptions/${id}`, { key, body: { status }, headers });
    const statusOf = async (): Promise<string> =>
      (await on.service.ask('GET', `/users/${user}/subscriptions`, { key })).body.subscriptions[0].status;

    const [first, second, third] = ['make', 'again', 'end'].map((name) => ({ 'idempotency-key': name }));
    await breakOff(on, () => post(first));
    const { id } = (await post()).body.subscription;
    await put(id, 'inactive');
    const made = await post(first);
    expect([made.status, made.body.subscription.id, await statusOf()]).toEqual([200, id, 'inactive']);

    await breakOff(on, () => post(second));
    await put(id, 'inactive');
    expect([(await post(second)).status, await statusOf()]).toEqual([200, 'inactive']);

    await put(id, 'active');
    await breakOff(on, () => put(id, 'inactive', third));
    await put(id, 'active');
    expect([(await put(id, 'inactive', third)).status, await statusOf()]).toEqual([200, 'active']);
    await on.service.discard();
  });
});
