import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy, reserve } from '../support/buying.js';
import { cardOf, GOOD_CARD, storeCard } from '../support/cards.js';
import {
  RunningService,
  type Answer,
  type AskOptions,
  type Json,
  type TestPartner,
} from '../support/running-service.js';

const ENDS = { deprecation: '@1767225600', sunset: 'Mon, 30 Jun 2031 00:00:00 GMT' };
const SCOPES =
  'must be one or more of all, user, credit_card, purchase, coupon, card_link, saved_deal, subscription, deal, region';
const entry = (field: string, message: string): Json => ({ type: 'invalid', message, field, resource: 'access_token' });

describe('access tokens of users', () => {
  let service: RunningService;
  let acme: TestPartner;
  let ann: string;

  beforeAll(async () => {
    service = await RunningService.start({ env: { LOG_LEVEL: 'debug', ACCESS_TOKENS_SUNSET: '2031-06-30' } });
    acme = await service.newPartner('acme');
    await service.newDeal('lunch', { stock: null });
    await service.newDeal('supper', { stock: null });
    ann = await service.newUser(acme.key, 'ann@example.com', { first_name: 'Ann', source: 'app', token: 't-1' });
  });
  afterAll(() => service.discard());

  const issue = (user: string, body: object, options: AskOptions = {}): Promise<Answer> =>
    service.ask('POST', `/users/${user}/access_tokens`, { key: acme.key, body, ...options });
  const all = { expires_in: 600, scope: 'all', access: 'read,write' };
  /** Moves time forward, also at each other API of a cluster. */
  const forward = async (seconds: number): Promise<void> => {
    await service.forward(seconds);
    for (const at of service.urls) await service.look('/regions', acme.key, { at });
  };
  const status = async (token: string): Promise<number> => (await service.ask('GET', '/user', { token })).status;
  /** The scopes of a user's tokens that count, newest first. */
  const living = async (user: string, key = acme.key): Promise<string[]> =>
    (await service.look(`/users/${user}/access_tokens`, key)).body.access_tokens.map(({ scope }: Json) => scope);
  const newToken = async (user = ann, body: object = all): Promise<string> => {
    const answer = await issue(user, body);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body.access_token.id;
  };

  it('4.15, 2.14, A9, B2: are issued to a user, with their fields in order', async () => {
    const answer = await issue(ann, { expires_in: '600', scope: 'credit_card,user,user', access: ['write'] });
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(
      new RegExp(
        `^{"status":"success","access_token":{"id":"[0-9a-f]{64}","user_id":"${ann}","expires_in":600,"scope":"credit_card,user","access":"write"}}$`,
      ),
    );
  });

  it.each([
    [{}, ['expires_in', 'scope', 'access'].map((field) => ({ ...entry(field, 'is missing'), type: 'missing_field' }))],
    [{ ...all, expires_in: 0 }, [entry('expires_in', 'must be an integer from 1 to 2592000')]],
    [{ ...all, expires_in: 2_592_001 }, [entry('expires_in', 'must be an integer from 1 to 2592000')]],
    [{ ...all, access: 'swim' }, [entry('access', 'must be one or more of read, write')]],
    [{ ...all, access: [] }, [entry('access', 'must not be blank')]],
    [{ ...all, access: 'read,,write' }, [entry('access', 'must be one or more of read, write')]],
    [{ ...all, scope: ['user', 'cards'] }, [entry('scope', SCOPES)]],
    [{ ...all, scope: { user: true } }, [entry('scope', 'must be text')]],
    [{ ...all, scope: `user${',user'.repeat(60)}` }, [entry('scope', 'must have at most 255 characters')]],
  ])('4.15, A8: %j is refused by name', async (body, errors) => {
    const answer = await issue(ann, body);
    expect([answer.status, answer.body.error_type, answer.body.errors]).toEqual([422, 'validation_failed', errors]);
  });

  it('9.11, A7: every answer to the call that issues them says since when it is deprecated, and when it ends', async () => {
    const stranger = await service.newPartner('stranger');
    const token = await newToken();
    const asked: readonly (readonly [number, Promise<Answer>])[] = [
      [200, issue(ann, all)],
      [200, service.ask('POST', `/v1/users/${ann}/access_tokens.json`, { key: acme.key, body: all })],
      [400, issue(ann, all, { body: '{', headers: { 'content-type': 'application/json' } })],
      [401, issue(ann, all, { key: 'wrong' })],
      [403, issue(ann, all, { token })],
      [404, issue('nobody', all)],
      [404, issue(ann, all, { key: stranger.key })],
      [415, issue(ann, all, { body: '<a/>', headers: { 'content-type': 'text/xml' } })],
      [422, issue(ann, {})],
    ];
    for (const [status, answer] of asked) {
      const { headers, ...rest } = await answer;
      expect([rest.status, { deprecation: headers['deprecation'], sunset: headers['sunset'] }]).toEqual([status, ENDS]);
    }
    const other = await service.ask('GET', `/users/${ann}`, { key: acme.key });
    expect([other.headers['deprecation'], other.headers['sunset']]).toEqual([undefined, undefined]);
  });

  it('5.4, A7, A2: come as a bearer token, or as access_token in query, JSON or form', async () => {
    const token = await newToken();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const ways: readonly (readonly [string, AskOptions])[] = [
      ['/user', { token }],
      ['/user', { headers: { authorization: `bearer ${token}` } }],
      [`/user?access_token=${token}`, {}],
      [`/v1/user.json?access_token=${token}`, {}],
      ['/api/v1/user', { body: { access_token: token } }],
      ['/user', { body: `access_token=${token}`, headers: form }],
      // The body wins over the query, and the query over a header.
      ['/user?access_token=wrong', { body: { access_token: token } }],
      [`/user?access_token=${token}`, { token: 'wrong' }],
    ];
    for (const [path, options] of ways) {
      const answer = await service.ask('GET', path, options);
      expect([path, answer.status, answer.body.user?.id]).toEqual([path, 200, ann]);
    }
  });

  it('A7: a token beside the partner’s key stays limited to its user; a wrong one is 401, whatever the key', async () => {
    const bea = await service.newUser(acme.key, 'bea@example.com');
    const token = await newToken(ann, { ...all, access: 'read' });
    const both = { key: acme.key, token };
    expect((await service.ask('GET', `/users/${ann}`, both)).status).toBe(200);
    expect((await service.ask('GET', `/users/${bea}`, both)).status).toBe(403);
    expect((await service.ask('PUT', `/users/${ann}`, both)).status).toBe(403);
    expect((await service.ask('GET', `/users/${ann}`, { key: acme.key, token: 'wrong' })).status).toBe(401);
    expect((await service.ask('GET', `/users/${ann}?access_token=wrong`, { key: acme.key })).status).toBe(401);
    expect((await service.ask('GET', `/users/${ann}?access_token=`, { key: acme.key })).status).toBe(401);
  });

  it('A7: count nowhere but in the calls of partners', async () => {
    const token = await newToken();
    for (const path of ['/operators/tokens', '/auditors/purchases/x/history', '/api/v3/deals?fields=id']) {
      expect([path, (await service.ask('GET', path, { token })).status]).toEqual([path, 401]);
      const query = `${path}${path.includes('?') ? '&' : '?'}access_token=${token}`;
      expect([path, (await service.ask('GET', query)).status]).toEqual([path, 401]);
    }
    expect((await service.ask('GET', '/user', { key: token })).status).toBe(401);
  });

  it('A7: end at their second; other tokens of the user go on', async () => {
    const cal = await service.newUser(acme.key, 'cal@example.com');
    const [short, long] = [await newToken(cal, { ...all, expires_in: 60 }), await newToken(cal)];
    await forward(50);
    expect([await status(short), await status(long)]).toEqual([200, 200]);
    await forward(11);
    expect([await status(short), await status(long)]).toEqual([401, 200]);
  });

  it('I10, A7: end when their user is hidden, for good, and with each new password', async () => {
    const cal = await service.newUser(acme.key, 'cal-2@example.com');
    const change = (body: object, options: AskOptions = { key: acme.key }): Promise<Answer> =>
      service.ask('PUT', `/users/${cal}`, { ...options, body });
    let token = await newToken(cal);
    expect((await change({ first_name: 'Cal' })).status).toBe(200);
    expect(await status(token)).toBe(200);
    await change({ is_deleted: true });
    expect(await status(token)).toBe(401);
    expect((await issue(cal, all)).status).toBe(404);
    await change({ is_deleted: false });
    expect(await status(token)).toBe(401);
    token = await newToken(cal);
    const other = await newToken(cal);
    expect(await status(token)).toBe(200);
    // The token that changed it ends as well: whoever had another one may have changed it, too.
    const pass = { pass: 'geheim', pass_confirmation: 'geheim' };
    expect((await change(pass, { token })).status).toBe(200);
    expect([await status(token), await status(other), await status(await newToken(cal))]).toEqual([401, 401, 200]);
    await service.ask('PUT', '/users/cal-2@example.com/update_by_email', { key: acme.key, body: { is_deleted: true } });
    await change({ is_deleted: false });
    expect(await living(cal)).toEqual([]);
  });

  it('I10: end with the key that issued them, and with no other', async () => {
    const owner = await service.newPartner('issuers');
    const second = await service.operate('POST', `/partners/${owner.id}/keys`, { name: 'second' });
    const user = await service.newUser(owner.key, 'ida@example.com');
    const [one, other] = [
      (await issue(user, all, { key: owner.key })).body.access_token.id,
      (await issue(user, all, { key: second.api_key })).body.access_token.id,
    ];
    expect([await status(one), await status(other)]).toEqual([200, 200]);
    await service.operate('DELETE', `/partners/${owner.id}/keys/${second.key_id}`);
    expect([await status(one), await status(other)]).toEqual([200, 401]);
    expect(await living(user, owner.key)).toHaveLength(1);
  });

  it('I10: are listed while they count, newest first, without the tokens themselves', async () => {
    const dot = await service.newUser(acme.key, 'dot@example.com');
    const first = await newToken(dot, { expires_in: 60, scope: 'user,coupon', access: 'read' });
    await newToken(dot, all);
    const found = await service.look(`/users/${dot}/access_tokens`, acme.key);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const id = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(found.body).toEqual({
      status: 'success',
      access_tokens: [
        { id, scope: 'all', access: 'read,write', created_at: time, expires_at: time },
        { id, scope: 'user,coupon', access: 'read', created_at: time, expires_at: time },
      ],
    });
    const [, { created_at, expires_at }] = found.body.access_tokens;
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(60_000);
    expect(found.text).not.toContain(first);
    await forward(61);
    expect(await living(dot)).toEqual(['all']);
    const stranger = await service.newPartner('looks-around');
    for (const [user, key] of [
      [dot, stranger.key],
      ['nobody', acme.key],
    ] as const) {
      const answer = await service.ask('GET', `/users/${user}/access_tokens`, { key });
      expect([answer.status, answer.body.error_type]).toEqual([404, 'find_failed']);
    }
  });

  it('I10: are ended by the id of the list or by the token itself, again with the same success, by their partner alone', async () => {
    const eli = await service.newUser(acme.key, 'eli@example.com');
    const path = `/users/${eli}/access_tokens`;
    const end = (id: string, options: AskOptions = { key: acme.key }): Promise<Answer> =>
      service.ask('DELETE', `${path}/${id}`, options);
    const [token, other] = [await newToken(eli), await newToken(eli)];
    expect((await end(token)).text).toBe('{"status":"success"}');
    expect([await status(token), await status(other)]).toEqual([401, 200]);
    const [listed] = (await service.look(path, acme.key)).body.access_tokens;
    const stranger = await service.newPartner('ends-tokens');
    const refused: readonly (readonly [number, Promise<Answer>])[] = [
      [401, end(listed.id, { key: stranger.keyId })],
      [403, end(listed.id, { token: other })],
      [403, service.ask('GET', path, { token: other })],
      [404, end(listed.id, { key: stranger.key })],
      [404, end('0'.repeat(32))],
      [404, end('x'.repeat(300))],
      [404, service.ask('DELETE', `/users/${ann}/access_tokens/${listed.id}`, { key: acme.key })],
      [404, service.ask('DELETE', `/users/${ann}/access_tokens/${other}`, { key: acme.key })],
    ];
    for (const [expected, answer] of refused) expect((await answer).status).toBe(expected);
    expect(await status(other)).toBe(200);
    expect((await end(listed.id)).text).toBe('{"status":"success"}');
    expect(await status(other)).toBe(401);
    for (const again of [token, other, listed.id]) expect((await end(again)).text).toBe('{"status":"success"}');
    expect(await living(eli)).toEqual([]);
    // A token in a path is content of a path: no line has it.
    for (const secret of [token, other]) expect(service.printed).not.toContain(secret);
    expect(service.printed).toContain('/users/:user_id/access_tokens/:id');
  });

  it('5.5, A6: source and token of a user are refused, and nothing of the call happens', async () => {
    const token = await newToken();
    const fault = (field: string): Json => ({
      type: 'invalid',
      message: 'is valid only with the partner’s own credential',
      field,
      resource: 'user',
    });
    for (const path of ['/user', `/users/${ann}`]) {
      const body = { first_name: 'Eve', source: 'web', token: 't-2' };
      const answer = await service.ask('PUT', path, { token, body });
      expect([answer.status, answer.body.errors]).toEqual([422, [fault('source'), fault('token')]]);
    }
    const one = await service.ask('PUT', '/user', { token, body: { token: 't-2', first_name: 'Eve' } });
    expect([one.status, one.body.errors]).toEqual([422, [fault('token')]]);
    const fine = await service.ask('PUT', '/user', { token, body: { last_name: 'Lee', source: '' } });
    expect([fine.status, fine.body.user]).toMatchObject([200, { firstname: 'Ann', lastname: 'Lee', token: 't-1' }]);
  });

  it('H2: a full purchase may not create a user; it buys for the token’s user', async () => {
    const token = await newToken(ann, { ...all, scope: 'purchase' });
    const order = { deal_id: 'lunch', quantity: 1, credit_card: cardOf(GOOD_CARD) };
    const user = { email: 'new@example.com', password: 'geheim', password_confirmation: 'geheim' };
    const refused = await service.ask('POST', '/v1/purchases/full.json', { token, body: { ...order, user } });
    expect([refused.status, refused.body.error_type]).toEqual([403, 'auth_failed']);
    const answer = await service.ask('POST', '/v1/purchases/full.json', { token, body: order });
    expect([answer.status, answer.body.purchase.user_id]).toEqual([200, ann]);
  });

  it('I9, A7, D3: a user holds for themselves; only the partner, once it was paid, claims it, and for nobody else', async () => {
    const dan = await service.newUser(acme.key, 'dan@example.com');
    const [token, dans] = [await newToken(), await newToken(dan)];
    const hold = (with_: string, num_bought = 1): Promise<Answer> =>
      service.ask('POST', '/purchases/reserve', { token: with_, body: { deal_id: 'lunch', num_bought } });
    const { purchase } = (await hold(token)).body;
    expect([purchase.user_id, purchase.fulfillment_state]).toEqual([null, 'reserved']);
    const path = `/purchases/${purchase.id}`;
    for (const user_id of [ann, dan]) {
      const refused = await service.ask('PUT', `${path}/claim`, { token, body: { user_id } });
      expect([refused.status, refused.body.error_type]).toEqual([403, 'auth_failed']);
    }
    expect((await service.ask('GET', path, { token: await newToken() })).status).toBe(200);
    const others = await service.ask('PUT', `${path}/claim`, { key: acme.key, body: { user_id: dan } });
    expect([others.status, others.body.error_type]).toEqual([422, 'cannot_fufill']);
    const claimed = await service.ask('PUT', `${path}/claim`, { key: acme.key, body: { user_id: ann } });
    expect([claimed.status, claimed.body.purchase.user_id]).toEqual([200, ann]);
    const released = (await hold(token)).body.purchase.id;
    expect((await service.ask('PUT', `/purchases/${released}/release`, { token: await newToken() })).status).toBe(200);
    const foreign = [path, `/purchases/${(await hold(token)).body.purchase.id}`];
    const partners = `/purchases/${(await reserve(service, acme.key, 'lunch')).id}`;
    for (const [each, with_] of [...foreign.map((one) => [one, dans] as const), [partners, dans], [partners, token]]) {
      for (const [method, what] of [
        ['GET', ''],
        ['PUT', '/release'],
      ] as const) {
        const refused = await service.ask(method, `${each}${what}`, { token: with_ });
        expect([each, what, refused.status, refused.body.error_type]).toEqual([each, what, 403, 'auth_failed']);
      }
    }
    const coupon = claimed.body.purchase.coupons[0].id;
    expect((await service.ask('PUT', `/coupons/${coupon}/redeem`, { token: dans })).status).toBe(403);
  });

  it('I9: a user holds at most 10 units of a deal by tokens, however many they have, and no more than its maximum', async () => {
    const user = await service.newUser(acme.key, 'holder@example.com');
    await service.newDeal('few', { max_per_user: 3 });
    const tokens = await Promise.all([newToken(user), newToken(user), newToken(user)]);
    const hold = async (deal_id: string, num_bought: number, with_: number): Promise<readonly [number, string]> => {
      const options = { token: tokens[with_] ?? '', body: { deal_id, num_bought } };
      const { status, body } = await service.ask('POST', '/purchases/reserve', options);
      return [status, body.error_msg ?? body.purchase.id];
    };
    const racing = await Promise.all([4, 4, 4].map((units, with_) => hold('lunch', units, with_)));
    expect(racing.map(([status]) => status).sort()).toEqual([200, 200, 422]);
    expect((await hold('lunch', 2, 0))[0]).toBe(200);
    expect(await hold('lunch', 1, 1)).toEqual([
      422,
      'a user may hold at most 10 units by access tokens, and holds 10 already',
    ]);
    expect((await hold('few', 2, 0))[0]).toBe(200);
    const bought = await buy(service, acme.key, 'few', user);
    expect(bought.number_bought).toBe(1);
    expect(await hold('few', 1, 1)).toEqual([422, 'the user may buy at most 3 units, and has 3 already']);
  });

  it('I9: no token writes the partner’s own data, and no token reports a redemption of a card link', async () => {
    const token = await newToken();
    for (const path of ['/user', `/users/${ann}`]) {
      const refused = await service.ask('PUT', path, {
        token,
        body: { partner_data: { tier: 'gold' }, last_name: 'Li' },
      });
      expect([refused.status, refused.body.error_msg]).toEqual([
        403,
        'partner_data is the partner’s alone: no access token writes it',
      ]);
    }
    const transaction = {
      transaction_amount: 2500,
      transaction_date: '2026-01-31T12:00:00',
      transaction_reference: 'x',
    };
    const redeemed = await service.ask('PUT', '/card_links/any/redeem', { token, body: transaction });
    expect([redeemed.status, redeemed.body.error_type]).toEqual([403, 'auth_failed']);
  });

  it('I4, D1: a living hold is claimed although the maximum was lowered meanwhile', async () => {
    await service.newDeal('lowered', { max_per_user: 4 });
    const user = await service.newUser(acme.key, 'lowered@example.com');
    const held = await reserve(service, acme.key, 'lowered', 4);
    await service.operate('PUT', '/deals/lowered', { max_per_user: 1 });
    const claimed = await service.ask('PUT', `/purchases/${held.id}/claim`, { key: acme.key, body: { user_id: user } });
    expect([claimed.status, claimed.body.purchase.number_bought]).toEqual([200, 4]);
    const more = await service.ask('POST', '/purchases/reserve', {
      key: acme.key,
      body: { deal_id: 'lowered', num_bought: 2 },
    });
    expect(more.status).toBe(422);
  });

  it('4.9.9, A8, 4.9: with the partner’s key, a call without :user needs user_id', async () => {
    const card = await storeCard(service, acme.key, ann, GOOD_CARD);
    const bought = await buy(service, acme.key, 'lunch', ann);
    const calls: readonly (readonly [string, string, string])[] = [
      ['/user', 'user', 'Ann'],
      ['/purchases', 'purchase', bought.id],
      ['/coupons', 'coupon', bought.coupons[0].id],
      ['/credit_cards', 'credit_card', card],
      ['/shipping_addresses', 'shipping_address', '"status":"success"'],
      ['/saved_deals', 'saved_deal', '"status":"success"'],
      ['/card_links', 'card_link', '"status":"success"'],
    ];
    for (const [path, resource, text] of calls) {
      // Without one it lists the partner's own purchases (ruling A5.1).
      const blank = path === '/purchases' ? `${path}?user_id=` : path;
      const without = await service.ask('GET', blank, { key: acme.key });
      const missing = { type: 'missing_field', message: 'is missing', field: 'user_id', resource };
      expect([path, without.status, without.body.errors]).toEqual([path, 422, [missing]]);
      const unknown = await service.ask('GET', `${path}?user_id=nobody`, { key: acme.key });
      const fault = { type: 'not_found', message: 'not found', field: 'user_id', resource: 'user' };
      expect([path, unknown.status, unknown.body.errors]).toMatchObject([path, 422, [fault]]);
      expect((await service.ask('GET', `${path}?user_id=${ann}`, { key: acme.key })).text).toContain(text);
      expect((await service.ask('GET', path, { token: await newToken() })).text).toContain(text);
    }
    const unknown = await service.ask('PUT', '/user', { key: acme.key, body: { user_id: 'nobody' } });
    expect([unknown.status, unknown.body.errors]).toMatchObject([422, [{ type: 'not_found', field: 'user_id' }]]);
  });

  it('A11: a repeat of the call that issued one gets the answer without the token', async () => {
    const headers = { 'idempotency-key': 'issue-1' };
    const first = await issue(ann, all, { headers });
    const again = await issue(ann, all, { headers });
    const { id, ...shown } = first.body.access_token;
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect([again.status, again.body]).toEqual([200, { status: 'success', access_token: shown }]);
  });

  it('I11, A11: records of repeats belong to the user: each of their tokens sees them, and nobody else does', async () => {
    const fay = await service.newUser(acme.key, 'fay@example.com');
    const gil = await service.newUser(acme.key, 'gil@example.com');
    const [token, other, gils] = [await newToken(fay), await newToken(fay), await newToken(gil)];
    const headers = { 'idempotency-key': 'change-1' };
    const change = (path: string, options: AskOptions): Promise<Answer> =>
      service.ask('PUT', path, { headers, ...options });
    const body = { last_name: 'Lin' };
    const first = await change('/user', { token, body });
    for (const again of [
      await change(`/user?access_token=${token}`, { body }),
      await change('/user', { token: other, body }),
    ]) {
      expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    }
    expect((await change('/user', { token: other, body: { last_name: 'Lau' } })).status).toBe(422);
    for (const options of [{ token: gils }, { key: acme.key }]) {
      const theirs = await change('/user', {
        ...options,
        body: { last_name: 'Lau', user_id: options.key ? fay : gil },
      });
      expect([theirs.status, theirs.body.user.lastname]).toEqual([200, 'Lau']);
    }
  });

  it('A4, H2: lists of deals take them, and no next page has one', async () => {
    const token = await newToken(ann, { expires_in: 600, scope: 'deal', access: 'read' });
    for (const path of ['/v1/deals', '/regions/testland/deals']) {
      const answer = await service.ask('GET', `${path}?per_page=1&access_token=${token}`);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.body.next_page).toContain('page=2');
      expect(answer.text).not.toContain(token);
    }
  });

  it('A4, G7: the log of the process and events name the token by its id, and never have the token', async () => {
    const token = await newToken();
    const path = `/purchases/reserve?access_token=${token}`;
    const held = (await service.ask('POST', path, { body: { deal_id: 'lunch', num_bought: 1 } })).body.purchase;
    await service.ask('GET', `/nowhere?access_token=${token}`);
    await service.ask('GET', `/user?access_token=${token}x`);
    const history = await service.ask('GET', `/auditors/purchases/${held.id}/history`, { token: service.auditorToken });
    const [, id = ''] = /"actor":"partner:acme\/token:([0-9a-f]{32})"/.exec(history.text) ?? [];
    expect(id).not.toBe('');
    expect(history.text).not.toContain(token);
    await service.prints(`"client":"user","credential":"${id}"`);
    expect(service.printed).not.toContain(token);
  });

  it('A7: go on after a restart', async () => {
    const token = await newToken();
    await service.stop();
    service = await RunningService.start({ dataDir: service.dataDir, env: { ACCESS_TOKENS_SUNSET: '2031-06-30' } });
    expect((await service.ask('GET', '/user', { token })).body.user.id).toBe(ann);
  });
});
