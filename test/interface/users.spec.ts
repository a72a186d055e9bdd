import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NO_USER, TAKEN_BY } from '../support/refusals.js';
import { RunningService, type Answer, type TestPartner } from '../support/running-service.js';

const invalid = (field: string, message: string, detail?: string): string =>
  JSON.stringify({
    status: 'error',
    error_type: 'validation_failed',
    error_msg: 'validation failed',
    errors: [{ type: 'invalid', message, field, resource: 'user', detail }],
  });

describe('users', () => {
  let service: RunningService;
  let acme: TestPartner;
  let emails = 0;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    await service.newDeal('spa');
  });
  afterAll(() => service.discard());

  const create = (body: unknown, key = acme.key): Promise<Answer> => service.ask('POST', '/users', { key, body });
  const show = (id: string): Promise<Answer> => service.ask('GET', `/users/${id}`, { key: acme.key });

  it('2.7.1, 2.7.3, 4.9.1, 4.9.2, 5.5, 4.9, 2.7, A6, A9, B2: have what the partner sends, token and source too, in the order of the interface', async () => {
    const made = await create({
      email: 'Ann.Lee@Example.com',
      first_name: 'Ann',
      last_name: 'Lee',
      birthday: '1990-12-31',
      postal_code: 2114,
      source: 'app',
      token: 'tok-1',
      credits: '500',
      partner_data: { tier: 'gold', deep: { a: [1] } },
      session_id: 's1',
      colour: 'unknown fields go unheard',
    });
    expect([made.status, Object.keys(made.body)]).toEqual([200, ['status', 'user_id']]);
    expect(made.body.user_id).toMatch(/^[0-9a-f]{32}$/);
    expect((await show(made.body.user_id)).text).toBe(
      JSON.stringify({
        status: 'success',
        user: {
          id: made.body.user_id,
          firstname: 'Ann',
          lastname: 'Lee',
          image_url: null,
          points: 0,
          token: 'tok-1',
        },
      }),
    );
  });

  it('2.7.1, 4.9.2, 4.9, B8, E1: need only an e-mail address; absent or empty attributes are null', async () => {
    for (const body of [
      { email: 'bare@example.com' },
      {
        email: 'empty@example.com',
        first_name: '',
        last_name: '',
        birthday: '',
        postal_code: '',
        token: '',
        credits: '',
      },
    ]) {
      const { body: made } = await create(body);
      expect((await show(made.user_id)).body.user).toEqual({
        id: made.user_id,
        firstname: null,
        lastname: null,
        image_url: null,
        points: 0,
        token: null,
      });
    }
  });

  it('E1: an e-mail address is taken once per partner, in upper or lower case, and free for another partner', async () => {
    const taken = invalid('email', 'has already been taken', TAKEN_BY);
    await create({ email: 'Bob@Example.com' });
    for (const email of ['Bob@Example.com', 'bob@example.com', 'BOB@EXAMPLE.COM']) {
      const answer = await create({ email });
      expect([answer.status, answer.text]).toEqual([422, taken]);
    }
    const other = await service.newPartner('other');
    expect((await create({ email: 'bob@example.com' }, other.key)).status).toBe(200);
  });

  it('E1: exactly one of twenty requests at once for one address gets it', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ email: 'race@example.com' })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 422)]);
  });

  it.each([
    [{}, 'missing_field', 'is missing', 'email'],
    [{ email: '' }, 'missing_field', 'is missing', 'email'],
    [{ email: 'no address' }, 'invalid', 'must be an e-mail address: it has a blank or a control character', 'email'],
    [
      { email: `${'a'.repeat(250)}@b.co` },
      'invalid',
      'must be an e-mail address: it has more than 254 characters',
      'email',
    ],
    [{ email: ['a@b.co'] }, 'invalid', 'must be an e-mail address, as text', 'email'],
    [{ email: 'a@b.co\u0000' }, 'invalid', 'must be an e-mail address: it has a blank or a control character', 'email'],
    [{ email: 'c@b.co', first_name: { a: 1 } }, 'invalid', 'must be text', 'first_name'],
    [{ email: 'c@b.co', last_name: true }, 'invalid', 'must be text', 'last_name'],
    [{ email: 'c@b.co', birthday: '2021-02-29' }, 'invalid', 'must be a date such as 1990-12-31', 'birthday'],
    [{ email: 'c@b.co', birthday: '31.12.1990' }, 'invalid', 'must be a date such as 1990-12-31', 'birthday'],
    [{ email: 'c@b.co', credits: -1 }, 'invalid', 'must be an integer of at least 0', 'credits'],
    [{ email: 'c@b.co', credits: 1.5 }, 'invalid', 'must be an integer in cents, such as 2500', 'credits'],
    [{ email: 'c@b.co', credits: '25.00' }, 'invalid', 'must be an integer in cents, such as 2500', 'credits'],
    [{ email: 'c@b.co', credits: 1e300 }, 'invalid', 'must be an integer in cents, such as 2500', 'credits'],
    [{ email: 'c@b.co', partner_data: 'text' }, 'invalid', 'must be an object', 'partner_data'],
    [{ email: 'c@b.co', partner_data: [1] }, 'invalid', 'must be an object', 'partner_data'],
  ])('7.2, A8, A2, B1: %j is refused with the name of the field', async (body, type, message, field) => {
    const answer = await create(body);
    expect([answer.status, answer.body.errors]).toEqual([422, [{ type, message, field, resource: 'user' }]]);
  });

  it.each([
    ['no address', 'it has a blank or a control character'],
    [' a@example.com', 'it has a blank or a control character'],
    ['example.com', 'it has no @'],
    ['ü@example.com', "before its @ it may have only a-z, 0-9 and .!#$%&'*+/=?^_`{|}~-"],
    ['a@münchen.example', 'write its domain in punycode, such as xn--mnchen-3ya.example'],
    [
      'a@example..com',
      'its domain must be parts of a-z, 0-9 and - inside, at most 63 characters each, with one dot between two',
    ],
  ])('I6: no call takes %s as an address, and each says what is wrong with it', async (email, fault) => {
    const entry = {
      type: 'invalid',
      message: `must be an e-mail address: ${fault}`,
      field: 'email',
      resource: 'user',
    };
    const { key } = acme;
    const buyer = { email, password: 'secret', password_confirmation: 'secret' };
    const line = JSON.stringify({ kind: 'user', partner: 'acme', email });
    const [changed, imported] = [await service.newUser(key, `i6-${(emails += 1)}@b`), service.operatorToken];
    for (const answer of [
      await create({ email }),
      await service.ask('PUT', `/users/${changed}`, { key, body: { email } }),
      await service.ask('PUT', `/users/${encodeURIComponent(email)}/update_by_email`, { key, body: {} }),
      await service.ask('POST', '/v1/purchases/full.json', { key, body: { deal_id: 'none', user: buyer } }),
    ])
      expect(answer.body.errors ?? answer.body).toEqual(expect.arrayContaining([entry]));
    const report = await service.ask('POST', '/operators/import', {
      token: imported,
      body: line,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(report.body.refused).toEqual([expect.objectContaining({ reason: `email ${entry.message}` })]);
  });

  it.each(['a@b', 'tom&jerry@example.com', "o'neil+100%/{x}@example.com", 'a@xn--mnchen-3ya.example'])(
    'I6: %s is an address: it names its user in every call',
    async (email) => {
      const { key } = acme;
      const id = (await create({ email })).body.user_id;
      const inPath = encodeURIComponent(email);
      const updated = await service.ask('PUT', `/users/${inPath}/update_by_email`, {
        key,
        body: { first_name: 'Tom' },
      });
      expect(updated.body.user).toMatchObject({ id, firstname: 'Tom' });
      expect((await service.look(`/users/${inPath}/subscriptions`, key)).text).toBe(
        '{"status":"success","subscriptions":[]}',
      );
      const list = `/v1/deals?region=testland&card_links_redeemed=false&user=${inPath}`;
      expect((await service.look(list, key)).status).toBe(200);
      expect((await service.ask('PUT', `/users/${id}`, { key, body: { email } })).status).toBe(200);
    },
  );

  it('4.9: may have any plain text as a name: other scripts, with marks, up to 255 characters', async () => {
    for (const [n, first_name] of ['Žofie 😀', '<b>"\\', '__proto__', 'x'.repeat(255)].entries()) {
      const made = await create({ email: `name-${n}@example.com`, first_name });
      expect((await show(made.body.user_id)).body.user.firstname).toBe(first_name);
    }
  });

  it('4.9.1, 4.9, 7.1: are 404 when unknown', async () => {
    for (const id of ['nobody', 'constructor', '__proto__', '%00', 'x'.repeat(4000)]) {
      const answer = await show(id);
      expect([answer.status, answer.text]).toEqual([404, NO_USER]);
    }
  });
});
