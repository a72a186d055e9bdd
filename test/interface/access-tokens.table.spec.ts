import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TOKEN_SCOPES, type ScopeName } from '#http';
import { RunningService, type Answer, type AskOptions, type Json } from '../support/running-service.js';
import { TABLE, World, type Sample } from './conventions.table.js';
import { OneUser } from './one-user.js';

/**
 * Calls that are the partner's alone (rulings A5.1, H2, I9, I10): they create users, or find them by e-mail address, are about access tokens, write to chosen users, or
 * give goods for what the partner says was paid.
 */
const NEVER = new Set([
  'PUT /purchases/:purchase_id/claim',
  'PUT /card_links/:card_link_id/redeem',
  'POST /users',
  'GET /users',
  'GET /users/:user_id/export',
  'PUT /users/:email/update_by_email',
  'POST /users/:user_id/access_tokens',
  'GET /users/:user_id/access_tokens',
  'DELETE /users/:user_id/access_tokens/:id',
  'POST /targeted_email/batches',
  'GET /targeted_email/batches',
  'GET /targeted_email/batches/:batch_id',
  'DELETE /targeted_email/batches/:batch_id',
]);

/** What a restricted key needs for the calls that have another scope than their path says; none: no such key may call. */
const KEYS_SCOPES: Readonly<Record<string, ScopeName | 'none'>> = {
  'POST /users/:user_id/access_tokens': 'none',
  'GET /users/:user_id/access_tokens': 'none',
  'DELETE /users/:user_id/access_tokens/:id': 'none',
  'POST /targeted_email/batches': 'all',
  'GET /targeted_email/batches': 'all',
  'GET /targeted_email/batches/:batch_id': 'all',
  'DELETE /targeted_email/batches/:batch_id': 'all',
};

/** The scope by the resource that the interface names last in a path. */
const SCOPES: Readonly<Record<string, ScopeName>> = {
  user: 'user',
  users: 'user',
  shipping_addresses: 'user',
  credit_cards: 'credit_card',
  purchases: 'purchase',
  coupons: 'coupon',
  card_links: 'card_link',
  saved_deals: 'saved_deal',
  subscriptions: 'subscription',
  deals: 'deal',
  regions: 'region',
};

const ACCESS = ['read', 'write', 'read,write'] as const;
const routes = Object.entries(TABLE).filter(([, { who }]) => who === 'partner');
/** Those about a thing of one user. */
const owned = routes.filter(([route, { common }]) => !NEVER.has(route) && common !== true);
/** The parameter of a path that names such a thing. */
const thingIn = (route: string): string | undefined => /:(?!user_id)(\w+)/.exec(route)?.[1];

function scopeOf(route: string): ScopeName {
  const resource = route.split('/').findLast((part) => part in SCOPES) ?? '';
  const scope = SCOPES[resource];
  if (scope === undefined) throw new Error(`${route}: which scope does it need?`);
  return scope;
}

describe('4.15, A7, H2: every call of partners with a token, or a restricted key, of every scope and access', () => {
  let service: RunningService;
  let world: World;
  let ann: OneUser;
  let bea: OneUser;
  let annId: string;
  const tokens = new Map<string, string>();

  const issue = async (userId: string, scope: string, access: string): Promise<string> => {
    const body = { expires_in: 600, scope, access };
    const answer = await service.ask('POST', `/users/${userId}/access_tokens`, { key: world.acme.key, body });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"access_token":{"id":')]);
    return answer.body.access_token.id;
  };
  const tokenOf = (scope: ScopeName, access: string): string => tokens.get(`${scope} ${access}`) ?? '';

  beforeAll(async () => {
    service = await RunningService.start({ env: { TIMERS: 'false', ARGON2_MEMORY: '64', ARGON2_TIME: '1' } });
    const acme = await service.newPartner('acme');
    const { password } = await service.operate('POST', `/partners/${acme.id}/password`);
    world = new World(service, acme, await service.newPartner('rival'), `acme:${password}`);
    const locations = [{ address: { latitude: 42.36, longitude: -71.06 } }];
    await service.newDeal('lunch', { stock: null, locations });
    await service.newDeal('supper', { locations });
    await service.operate('PUT', '/regions/testland', { latitude: 42.36, longitude: -71.06, radius: 20 });
    annId = await world.user();
    ann = new OneUser(world, annId);
    bea = new OneUser(world, await world.user());
    for (const scope of TOKEN_SCOPES) {
      for (const access of ACCESS) tokens.set(`${scope} ${access}`, await issue(annId, scope, access));
    }
  });
  afterAll(() => service.discard());
  afterEach(() => {
    expect(service.printed).not.toContain('a call failed');
  });

  const ask = (route: string, { ids = {}, send }: Sample, options: AskOptions): Promise<Answer> => {
    const [method = '', path = ''] = route.split(' ');
    const written = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'x'));
    return service.ask(method, written, { ...options, ...(send !== undefined && { body: send }) });
  };
  const call = (route: string, sample: Sample, token: string): Promise<Answer> => ask(route, sample, { token });
  const refusal = (words: string): string =>
    JSON.stringify({ status: 'error', error_type: 'auth_failed', error_msg: words });
  /** What an answer says about the right to call. */
  const shown = ({ status, text }: Answer): unknown => [status, status === 200 || status === 201 ? 'yes' : text];

  it.each(routes)('%s answers to those with its scope and access, and 403 to all others', async (...row) => {
    const [route, line] = row;
    const unsent = await line.sample(ann);
    const needed = route.startsWith('GET ') ? 'read' : 'write';
    for (const scope of TOKEN_SCOPES) {
      for (const access of ACCESS) {
        const expected = NEVER.has(route)
          ? refusal('this call is the partner’s alone: it takes no access token')
          : scope !== 'all' && scope !== scopeOf(route)
            ? refusal(`this call needs an access token with the scope ${scopeOf(route)}`)
            : access.includes(needed)
              ? 'yes'
              : refusal(`this call needs an access token with the access ${needed}`);
        const sample = expected === 'yes' && needed === 'write' ? await line.sample(ann) : unsent;
        const answer = await call(route, sample, tokenOf(scope, access));
        expect([scope, access, ...(shown(answer) as Json[])]).toEqual([
          scope,
          access,
          expected === 'yes' ? 200 : 403,
          expected,
        ]);
      }
    }
  });

  const keys = new Map<string, string>();
  const keyOf = async (scope: ScopeName, access: string): Promise<string> => {
    const name = `${scope} ${access}`;
    const known = keys.get(name);
    if (known !== undefined) return known;
    const { api_key } = await service.operate('POST', `/partners/${world.acme.id}/keys`, { name, scope, access });
    keys.set(name, api_key);
    return api_key;
  };

  it.each(routes)(
    'I8: %s answers to restricted keys with its scope and access, and 403 to all others',
    async (...row) => {
      const [route, line] = row;
      const unsent = await line.sample(world);
      const needed = route.startsWith('GET ') ? 'read' : 'write';
      const own = KEYS_SCOPES[route] ?? scopeOf(route);
      for (const scope of TOKEN_SCOPES) {
        for (const access of ACCESS) {
          const expected =
            own === 'none'
              ? refusal('this call needs a full key: yours is restricted')
              : scope !== 'all' && scope !== own
                ? refusal(`this call needs a key with the scope ${own}`)
                : access.includes(needed)
                  ? 'yes'
                  : refusal(`this call needs a key with the access ${needed}`);
          const sample = expected === 'yes' && needed === 'write' ? await line.sample(world) : unsent;
          const answer = await ask(route, sample, { key: await keyOf(scope, access) });
          expect([scope, access, ...(shown(answer) as Json[])]).toEqual([
            scope,
            access,
            expected !== 'yes' ? 403 : line.created === true ? 201 : 200,
            expected,
          ]);
        }
      }
    },
  );

  it.each(Object.entries(TABLE).filter(([, { who }]) => who !== 'partner' && who !== 'public'))(
    '%s takes no access token, and no restricted key: 401',
    async (route) => {
      for (const options of [{ token: tokenOf('all', 'read,write') }, { key: await keyOf('all', 'read,write') }]) {
        const answer = await ask(route, {}, options);
        expect([answer.status, answer.body.error_type]).toEqual([401, 'auth_failed']);
      }
    },
  );

  it.each(owned)('%s is 403 about another user of the partner, and changes nothing', async (...row) => {
    const [route, line] = row;
    const theirs = await line.sample(bea);
    const answer = await call(route, theirs, tokenOf('all', 'read,write'));
    expect(shown(answer)).toEqual([403, refusal('this access token belongs to another user')]);
    // Whatever the call would have changed is as it was: the partner may still do it.
    expect((await ask(route, theirs, { key: world.acme.key })).status).toBe(200);
  });

  it.each(routes.filter(([route]) => !NEVER.has(route)))(
    '4.9.9, 5.4, 4.9: %s means the token’s user if it names none',
    async (...row) => {
      const [route, line] = row;
      const { send = {}, ...sample } = await line.sample(ann);
      const { user_id, ...rest } = send;
      const answer = await call(route, { ...sample, send: rest }, tokenOf('all', 'read,write'));
      expect([route, answer.status]).toEqual([route, 200]);
      if (user_id === undefined || line.list === undefined) return;
      expect(answer.text).toBe((await call(route, { ...sample, send }, tokenOf('all', 'read'))).text);
      expect(answer.body[line.list].length).toBeGreaterThan(1);
    },
  );

  it.each(owned.filter(([route]) => thingIn(route) !== undefined))(
    'A5: %s says the same of another partner’s thing as of one that does not exist',
    async (...row) => {
      const [route, line] = row;
      const sample = await line.sample(ann);
      const token = tokenOf('all', 'read,write');
      const unknown = { ...sample, ids: { ...sample.ids, [thingIn(route) ?? '']: '0'.repeat(32) } };
      const rivals = await rivalsToken();
      const { user_id: _, ...send } = sample.send ?? {};
      const [absent, foreign] = [
        await call(route, unknown, token),
        await call(route, { ...sample, ids: ofUser(sample.ids, rivals.userId), send }, rivals.token),
      ];
      expect(absent.status).toBe(404);
      expect(shown(foreign)).toEqual(shown(absent));
    },
  );

  let rivals: Promise<{ readonly userId: string; readonly token: string }> | undefined;
  const rivalsToken = (): Promise<{ readonly userId: string; readonly token: string }> =>
    (rivals ??= (async () => {
      const userId = await service.newUser(world.rival.key, 'rival@example.com');
      const body = { expires_in: 600, scope: 'all', access: 'read,write' };
      const answer = await service.ask('POST', `/users/${userId}/access_tokens`, { key: world.rival.key, body });
      return { userId, token: answer.body.access_token.id };
    })());
});

/** The ids of a path, with this user. */
function ofUser(ids: Sample['ids'] = {}, userId: string): NonNullable<Sample['ids']> {
  return 'user_id' in ids ? { ...ids, user_id: userId } : ids;
}
