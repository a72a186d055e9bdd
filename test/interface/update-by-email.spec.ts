import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { validationFailed } from '../support/refusals.js';
import { RunningService, type Answer, type TestPartner } from '../support/running-service.js';

const CHANGED_TOKEN =
  '{"status":"error","error_type":"update_failed","error_msg":"Unable to update, partner token has changed","detail":"another token is stored: send overwrite_token=true to replace it"}';

const invalid = (field: string, message: string): object => ({ type: 'invalid', message, field, resource: 'user' });

describe('PUT /users/:email/update_by_email', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;
  let names = 0;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    rival = await service.newPartner('rival');
  });
  afterAll(() => service.discard());

  const newAddress = (): string => `person-${(names += 1)}@example.com`;
  const update = (email: string, body: object, query = '', key = acme.key): Promise<Answer> =>
    service.ask('PUT', `/api/v1/users/${encodeURIComponent(email)}/update_by_email${query}`, { key, body });
  const show = (id: string): Promise<Answer> => service.ask('GET', `/users/${id}`, { key: acme.key });

  it('4.9.4, 9.1, 4.9, 9, 2.7: changes the user with that address, in upper or lower case and with every prefix', async () => {
    const email = newAddress();
    const id = await service.newUser(acme.key, email, { first_name: 'Ann', last_name: 'Lee' });
    const answer = await update(email.toUpperCase(), { first_name: 'Anna', birthday: '1990-12-31', email: 'unheard' });
    const user = { id, firstname: 'Anna', lastname: 'Lee', image_url: null, points: 0, token: null };
    expect([answer.status, answer.text]).toEqual([200, JSON.stringify({ status: 'success', user })]);
    for (const prefix of ['', '/v1', '/api/v1']) {
      const path = `${prefix}/users/${email}/update_by_email.json`;
      expect((await service.ask('PUT', path, { key: acme.key })).text).toBe(answer.text);
    }
    expect((await show(id)).text).toBe(answer.text);
  });

  it('4.9.5, 4.9.6, 4.9, E2: stores the first token or the same one again, with the other attributes', async () => {
    const email = newAddress();
    const id = await service.newUser(acme.key, email);
    for (const [body, firstname] of [
      [{ token: 't-1', first_name: 'Ann' }, 'Ann'],
      [{ token: 't-1', first_name: 'Anna' }, 'Anna'],
      [{ first_name: 'Annabel' }, 'Annabel'],
    ] as const) {
      expect((await update(email, body)).body.user).toMatchObject({ id, firstname, token: 't-1' });
    }
  });

  it('4.9.7, 7.1.6, 4.9, E2, 7.1: refuses another token and stores nothing, unless the request says to overwrite it', async () => {
    const email = newAddress();
    const id = await service.newUser(acme.key, email, { token: 't-1', first_name: 'Ann' });
    for (const query of ['', '?overwrite_token=false', '?overwrite_token=']) {
      const refused = await update(email, { token: 't-2', first_name: 'Eve', is_deleted: true }, query);
      expect([refused.status, refused.text]).toEqual([422, CHANGED_TOKEN]);
    }
    expect((await show(id)).body.user).toMatchObject({ firstname: 'Ann', token: 't-1' });
    const replaced = await update(email, { token: 't-2', first_name: 'Eva' }, '?overwrite_token=true');
    expect(replaced.body.user).toMatchObject({ firstname: 'Eva', token: 't-2' });
  });

  it('E2: stores one of twenty first tokens at once and refuses the others', async () => {
    const email = newAddress();
    const id = await service.newUser(acme.key, email);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => update(email, { token: `t-${n}` })));
    const stored = answers.filter(({ status }) => status === 200);
    expect(stored).toHaveLength(1);
    expect(new Set(answers.filter((each) => each !== stored[0]).map(({ text }) => text))).toEqual(
      new Set([CHANGED_TOKEN]),
    );
    expect((await show(id)).text).toBe(stored[0]?.text);
  });

  it('4.9.8, 4.9, E1: creates a user for an unknown address; twenty requests at once create one', async () => {
    const email = newAddress();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => update(email, { first_name: 'Ann', token: 't-1' })),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const { id, ...user } = answers[0]?.body.user ?? {};
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(user).toEqual({ firstname: 'Ann', lastname: null, image_url: null, points: 0, token: 't-1' });
    expect((await show(id)).text).toBe(answers[0]?.text);
  });

  it('E1, A8: finds a deleted user, deletes and restores them, and can create a deleted user', async () => {
    const email = newAddress();
    const made = await update(email, { is_deleted: true, first_name: 'Ann' });
    const { id } = made.body.user;
    expect((await show(id)).status).toBe(404);
    expect((await update(email, { last_name: 'Lee' })).body.user).toMatchObject({ id, lastname: 'Lee' });
    expect((await show(id)).status).toBe(404);
    const back = await update(email, { is_deleted: false });
    expect((await show(id)).text).toBe(back.text);
    await update(email, { is_deleted: true });
    expect((await show(id)).status).toBe(404);
  });

  it('E1: creates another user for an address that a user left', async () => {
    const [old, next] = [newAddress(), newAddress()];
    const id = await service.newUser(acme.key, old);
    await service.ask('PUT', `/users/${id}`, { key: acme.key, body: { email: next } });
    expect((await update(next, {})).body.user.id).toBe(id);
    expect((await update(old, {})).body.user.id).not.toBe(id);
  });

  it('A5: does not find another partner’s user: it creates one of its own', async () => {
    const email = newAddress();
    const id = await service.newUser(acme.key, email, { token: 't-1' });
    const theirs = await update(email, { token: 't-2' }, '', rival.key);
    expect([theirs.status, theirs.body.user.token]).toEqual([200, 't-2']);
    expect((await show(id)).body.user.token).toBe('t-1');
  });

  it.each<readonly [string, object, ...object[]]>([
    ['no address', {}, invalid('email', 'must be an e-mail address: it has a blank or a control character')],
    ['a@b.co', { first_name: { a: 1 } }, invalid('first_name', 'must be text')],
    ['a@b.co', { is_deleted: 'perhaps' }, invalid('is_deleted', 'must be true or false')],
    ['a@b.co', { overwrite_token: 1 }, invalid('overwrite_token', 'must be true or false')],
    [
      'x',
      { partner_data: [], token: {}, birthday: 'May' },
      invalid('email', 'must be an e-mail address: it has no @'),
      invalid('token', 'must be text'),
      invalid('birthday', 'must be a date such as 1990-12-31'),
      invalid('partner_data', 'must be an object'),
    ],
  ])('7.2, A8: refuses %s with %j by the names of the fields', async (email, body, ...errors) => {
    const answer = await update(email, body);
    expect([answer.status, answer.text]).toEqual([422, validationFailed(...errors)]);
  });
});
