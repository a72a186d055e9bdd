import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunningService, type Answer, type AskOptions, type TestPartner } from '../support/running-service.js';
import { eventsOf } from '../support/data-folder.js';

const NONE = '{"status":"success","users":[]}';

describe('A5.1: the user of a partner with an e-mail address', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;
  let ann: string;

  beforeAll(async () => {
    service = await RunningService.start();
    [acme, rival] = [await service.newPartner('acme'), await service.newPartner('rival')];
    ann = await service.newUser(acme.key, 'Ann@example.com', { first_name: 'Ann', token: 'loyalty-1' });
  });
  afterAll(() => service.discard());

  const list = (query: string, options: AskOptions = { key: acme.key }): Promise<Answer> =>
    service.ask('GET', `/users?${query}`, options);

  it('is listed in the shape of one, in any case of the address', async () => {
    const one = await service.ask('GET', `/users/${ann}`, { key: acme.key });
    const expected = `{"status":"success","users":[${JSON.stringify(one.body.user)}]}`;
    for (const email of ['Ann@example.com', 'ann@EXAMPLE.com'])
      expect((await list(`email=${encodeURIComponent(email)}`)).text).toBe(expected);
    expect((await service.ask('GET', '/v1/users.json?email=ann@example.com', { key: acme.key })).text).toBe(expected);
    expect((await list('email=ann@example.com&page=2')).text).toBe(NONE);
    for (const [email, count] of [
      ['ann', 1],
      ['nobody', 0],
    ] as const) {
      const { body } = await list(`email=${email}@example.com&count=true`);
      expect(body).toEqual({ status: 'success', count });
    }
  });

  it('another partner’s user, a hidden one and an unknown one are not listed, and nobody is created or changed', async () => {
    const hidden = await service.newUser(acme.key, 'hidden@example.com');
    await service.ask('PUT', `/users/${hidden}`, { key: acme.key, body: { is_deleted: true } });
    const before = (await eventsOf(service.dataDir)).length;
    const unknown = await list('email=nobody@example.com');
    const theirs = await list('email=ann@example.com', { key: rival.key });
    const gone = await list('email=hidden@example.com');
    expect([unknown, theirs, gone].map(({ status, text }) => `${status} ${text}`)).toEqual(
      Array(3).fill(`200 ${NONE}`),
    );
    expect(await eventsOf(service.dataDir)).toHaveLength(before);
    await service.ask('PUT', '/users/hidden@example.com/update_by_email', {
      key: acme.key,
      body: { is_deleted: false },
    });
    expect((await list('email=hidden@example.com')).body.users).toMatchObject([{ id: hidden }]);
  });

  it('is found by the present address alone', async () => {
    const bob = await service.newUser(acme.key, 'bob@example.com');
    await service.ask('PUT', `/users/${bob}`, { key: acme.key, body: { email: 'robert@example.com' } });
    expect((await list('email=bob@example.com')).text).toBe(NONE);
    expect((await list('email=robert@example.com')).body.users).toMatchObject([{ id: bob }]);
  });

  it('a wrong or missing address is named, and no token may ask', async () => {
    for (const [query, type] of [
      ['', 'missing_field'],
      ['email=', 'missing_field'],
      ['email=ann', 'invalid'],
      ['email[]=a@example.com&email[]=b@example.com', 'invalid'],
    ] as const) {
      const { status, body } = await list(query);
      expect([query, status, body.errors]).toMatchObject([query, 422, [{ type, field: 'email', resource: 'user' }]]);
    }
    const both = await list('email=ann&per_page=0');
    expect(both.body.errors).toMatchObject([{ field: 'email' }, { field: 'per_page' }]);
    const body = { expires_in: 600, scope: 'all', access: 'read' };
    const issued = await service.ask('POST', `/users/${ann}/access_tokens`, { key: acme.key, body });
    expect((await list('email=ann@example.com', { token: issued.body.access_token.id })).status).toBe(403);
  });
});
